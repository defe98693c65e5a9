/** One cookie of a `cookies.txt`. */
export interface FileCookie {
  /** Lower case, without the dot that may stand before it. */
  host: string;
  /** Also for hosts below it. */
  subdomains: boolean;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  /** Absent for a session cookie. */
  expiresAtMs?: number;
  name: string;
  value: string;
}

export type CookiesTxt = { ok: true; cookies: FileCookie[]; expired: number } | { ok: false; line: number };

const httpOnlyMark = '#HttpOnly_';

/**
 * Reads the Netscape format that browsers' extensions, curl and wget write: seven fields between tabs. A line
 * that is none of it makes the file another one; better said than half taken.
 */
export function parseCookiesTxt(text: string, nowMs: number): CookiesTxt {
  const cookies: FileCookie[] = [];
  let expired = 0;
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const httpOnly = raw.startsWith(httpOnlyMark);
    const line = httpOnly ? raw.slice(httpOnlyMark.length) : raw;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const cookie = parseLine(line, httpOnly);
    if (!cookie) return { ok: false, line: index + 1 };
    if (cookie.expiresAtMs !== undefined && cookie.expiresAtMs <= nowMs) expired++;
    else cookies.push(cookie);
  }
  return { ok: true, cookies, expired };
}

function parseLine(line: string, httpOnly: boolean): FileCookie | undefined {
  const [domain, flag, path, secure, expires, name, ...values] = line.split('\t');
  const host = domain?.trim().toLowerCase().replace(/^\./, '') ?? '';
  const isFlag = (text: string | undefined): text is string => /^(?:TRUE|FALSE)$/i.test(text ?? '');
  if (!isFlag(flag) || !isFlag(secure) || !/^\d+(?:\.\d+)?$/.test(expires ?? '')) return undefined;
  if (!/^[^\s/:@]+$/.test(host) || !path?.startsWith('/') || name === undefined) return undefined;
  const seconds = Number(expires);
  return {
    host,
    subdomains: /^true$/i.test(flag),
    path,
    secure: /^true$/i.test(secure),
    httpOnly,
    ...(seconds > 0 ? { expiresAtMs: seconds * 1_000 } : {}),
    name,
    value: values.join('\t'),
  };
}
