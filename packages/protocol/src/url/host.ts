import type { HostKey } from '../base/brands.ts';

/**
 * Lower-case labels as every parser leaves them. The last one begins with a letter, so that no parser takes the whole
 * for an IPv4 address, and none is Punycode, which may be malformed.
 */
const plainHost = /^(?:(?!xn--)[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9-]*$/;

/** Whether the text is a host exactly as `hostOf` gives it: what the parser would write, and nothing around it. */
export function isHostKey(text: string): text is HostKey {
  if (text.length > 253) return false;
  return plainHost.test(text) || URL.parse(`http://${text}/`)?.hostname === text;
}
