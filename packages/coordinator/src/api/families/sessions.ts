import { WebfarerError } from '@webfarer/protocol';
import type { sessionRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';
import { browserPage, browserPagePolicy } from '../http/browser-page.ts';

/** Log in with an OpenID provider, and what became of it. */
export function sessionHandlers({ users }: ApiParts): HandlersOf<typeof sessionRoutes> {
  const { sessions, cookies } = users;

  function logIn() {
    if (users.logIn) return users.logIn;
    throw new WebfarerError('not-found', 'this coordinator has no OpenID provider to log in with', {
      next: 'Use a token, or start the coordinator with --log-in FILE (see docs/log-in.md).',
    });
  }

  return {
    async logIn({ query, setHeader }) {
      const { location, cookies: all } = await logIn().begin(query.to);
      for (const cookie of all) setHeader('set-cookie', cookie);
      return location;
    },
    async finishLogIn({ query, header, setHeader }) {
      const { code, state, iss, error, error_description } = query;
      const answer = { code, state, iss, error, error_description };
      const { name, to, cookies: all } = await logIn().finish(answer, header('cookie'));
      for (const cookie of all) setHeader('set-cookie', cookie);
      setHeader('content-security-policy', browserPagePolicy);
      return welcomePage(name, to);
    },
    redeemLink({ body }) {
      if (!users.links)
        throw new WebfarerError('not-found', 'this coordinator gives out no links to log in with', {
          next: 'Use a token.',
        });
      const token = users.links.redeem(body.code);
      if (token === undefined)
        throw new WebfarerError('link-refused', 'the link was used already, or is too old', {
          next: 'Press l in the terminal of the crawl for a new one.',
        });
      return { token };
    },
    async logOut({ principal, setHeader }) {
      if (principal.session === undefined)
        throw new WebfarerError('conflict', 'the request was sent with a token, which has no session', {
          next: 'POST /v1/tokens/{token}/revoke ends a token.',
        });
      await sessions.end(principal.session);
      setHeader('set-cookie', cookies.session.clear());
      return undefined;
    },
    async listSessions({ query }) {
      const { sessions: items, next } = await sessions.list(query);
      return { items, ...(next === undefined ? {} : { next }) };
    },
    async revokeSession({ params }) {
      if (await sessions.end(params.session)) return undefined;
      throw new WebfarerError('not-found', `there is no session ${JSON.stringify(params.session)}`, {
        next: 'GET /v1/sessions lists the sessions there are.',
      });
    },
  };
}

/**
 * A redirect would carry on a request that another site began, to which browsers add no strict cookie. A page of ours
 * begins a new one.
 */
function welcomePage(name: string, to: string): string {
  const title = name === '' ? 'Logged in' : `Logged in as ${name}`;
  return browserPage({ title, lines: [], link: { to, text: 'Continue' }, forwards: true });
}
