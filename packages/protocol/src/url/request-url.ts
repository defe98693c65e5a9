import type { Url } from '../base/brands.ts';

/**
 * A crawl knows a GET by its URL. Any other request is known by its URL and, behind it, its method and a digest of what it
 * sends: `https://a.example/list#POST.dGhlIGRpZ2VzdCBvZiBpdA`. URLs of a crawl have no fragment of their own, so such a
 * name is never that of a page, and everything that goes by URL (queues, leases, the seen set, records, links) keeps the
 * two apart without knowing why.
 */
const name = /#([A-Z]+)\.[\w-]{22}$/;

/** `digest`: 22 characters of base64url, 128 bits of what is sent. */
export function requestUrl(url: Url, method: string, digest: string): Url {
  return `${url}#${method}.${digest}` as Url;
}

/** The URL that the request goes to. */
export function targetOf(url: Url): Url {
  const at = url.indexOf('#');
  return at < 0 ? url : (url.slice(0, at) as Url);
}

/** GET, unless the URL names another. */
export function methodOf(url: string): string {
  return name.exec(url)?.[1] ?? 'GET';
}

/** The name of a request apart from its URL; '' for a GET. */
export function requestSuffix(url: string): string {
  return name.exec(url)?.[0] ?? '';
}
