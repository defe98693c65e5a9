import { type Url, WebfarerError } from '@webfarer/protocol';
import { type ApiSiteLogin, liveViewPath, type siteLoginRoutes } from '@webfarer/protocol/api';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import type { Crawl } from '../../crawl/crawl.ts';
import type { LiveLogin } from '../../live-login/live-login.ts';
import { accountsNow } from '../../live-login/site-accounts.ts';
import { readViewPage } from '../../live-login/view-page.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** A person logs in to a site in a browser of this machine, from elsewhere. */
export function siteLoginHandlers({
  liveLogins,
  accounts,
  openCrawls,
}: Pick<ApiParts, 'liveLogins' | 'accounts' | 'openCrawls'>): HandlersOf<typeof siteLoginRoutes> {
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
    async listSiteAccounts() {
      const crawls = openCrawls();
      const all = await accountsNow({ accounts, crawls, logins: liveLogins.all() });
      return {
        browser: accounts.browser(),
        items: all.slice(0, MOST_LISTED),
        challenged: await challengedCrawls(crawls),
        unlisted: Math.max(0, all.length - MOST_LISTED),
      };
    },
    async removeSiteAccount({ params: { site, account } }) {
      if (await accounts.remove({ site, as: account })) return undefined;
      throw new WebfarerError('not-found', `there is no account ${account} of ${site} on this coordinator`, {
        next: 'GET /v1/site-accounts lists those there are.',
      });
    },
    getSiteLogin: ({ params }) => shown(find(params.login)),
    async cancelSiteLogin({ params }) {
      await find(params.login).cancel();
      return undefined;
    },
  };
}

const MOST_LISTED = 1_000;
/** A look at a crawl asks its store. */
const MOST_CRAWLS = 200;

/** Sites that are read without an account: nobody can pass their challenges, so that their URLs are refused. */
async function challengedCrawls(crawls: readonly Crawl[]) {
  const running = crawls.filter(({ state }) => state === 'running').slice(0, MOST_CRAWLS);
  const all = await Promise.all(
    running.map(async (crawl) => {
      const { byReason } = await crawl.snapshot().catch(() => ({ byReason: { challenge: 0 } }));
      return { crawl: crawl.id, name: crawl.name, urls: byReason.challenge ?? 0 };
    }),
  );
  return all.filter(({ urls }) => urls > 0);
}

function shown({ id, wish, end, endsAtMs, isViewed }: LiveLogin): ApiSiteLogin {
  const { url, site, as } = wish;
  return { id, url, site, as, isViewed, state: end?.how ?? 'open', text: end?.text ?? '', endsAtMs };
}
