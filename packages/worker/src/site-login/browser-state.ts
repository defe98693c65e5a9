import type { BrowserState } from '../browser/rendering.ts';
import type { SiteLogin } from './site-login.ts';

/**
 * What scripts of the site can read of an account: its storage, and the cookies that are not for requests alone. Requests
 * of the browser get all cookies from the account itself.
 */
export function browserState(login: SiteLogin | undefined): BrowserState | undefined {
  if (!login) return undefined;
  const { cookies } = JSON.parse(login.cookies.save()) as { cookies: SavedCookie[] };
  return {
    cookies: cookies
      .filter(({ httpOnly, domain }) => !httpOnly && domain !== undefined)
      .map(({ key, value, domain = '', hostOnly, path, secure = false }) => ({
        name: key,
        value,
        domain: hostOnly ? domain : `.${domain}`,
        path: path ?? '/',
        expires: -1,
        httpOnly: false,
        secure,
        sameSite: 'Lax',
      })),
    origins: login.storage.map(({ origin, localStorage }) => ({ origin, localStorage })),
  };
}

/** As the jar writes it. */
interface SavedCookie {
  key: string;
  value: string;
  domain?: string;
  hostOnly?: boolean;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
}
