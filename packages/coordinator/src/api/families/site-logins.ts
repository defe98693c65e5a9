import { type Url, WebfarerError } from '@webfarer/protocol';
import { type ApiSiteLogin, liveViewPath, type siteLoginRoutes } from '@webfarer/protocol/api';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import type { LiveLogin } from '../../live-login/live-login.ts';
import { readViewPage } from '../../live-login/view-page.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** A person logs in to a site in a browser of this machine, from elsewhere. */
export function siteLoginHandlers({ liveLogins }: ApiParts): HandlersOf<typeof siteLoginRoutes> {
  let page: ReturnType<typeof readViewPage> | undefined;

  function find(id: string): LiveLogin {
    const found = liveLogins.all().find((login) => login.id === id);
    if (found) return found;
    throw new WebfarerError('not-found', `there is no login ${JSON.stringify(id)}`, {
      next: 'GET /v1/site-logins lists the logins there are.',
    });
  }

  return {
    showLiveView({ setHeader }) {
      page ??= readViewPage();
      setHeader('content-security-policy', page.policy);
      return page.html;
    },
    listSiteLogins: () => ({ items: liveLogins.all().map(shown) }),
    async openSiteLogin({ body: { url, as, site, selector, text } }) {
      const wish = { url, as, site: site ?? siteOf(hostOf(url as Url)), selector, text };
      const login = await liveLogins.open(wish);
      // Behind # it is in no log of a proxy.
      return { ...shown(login), view: `${liveViewPath}#${login.newTicket()}` };
    },
    getSiteLogin: ({ params }) => shown(find(params.login)),
    async cancelSiteLogin({ params }) {
      await find(params.login).cancel();
      return undefined;
    },
  };
}

function shown({ id, wish, end, endsAtMs }: LiveLogin): ApiSiteLogin {
  const { url, site, as } = wish;
  return { id, url, site, as, state: end?.how ?? 'open', text: end?.text ?? '', endsAtMs };
}
