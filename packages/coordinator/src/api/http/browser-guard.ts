/** On every answer: nothing of it is run, framed, guessed at or kept by a browser. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Whether a browser says that a page of this very origin sends this. A browser adds its session to whatever it sends, so
 * a change that is made with one needs this word.
 */
export function isSameOrigin(header: (name: string) => string | undefined): boolean {
  return (header('origin') ?? header('sec-fetch-site')) !== undefined && !isCrossOrigin(header);
}

/**
 * Whether a browser sends this on behalf of another site. Programs send neither header. The scheme is left out: in front
 * of a coordinator there may be a proxy that ends TLS.
 */
export function isCrossOrigin(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = header('origin');
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== header('host');
}
