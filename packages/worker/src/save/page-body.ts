import type { Capture } from './saver.ts';

/** The body as a file for people: decoded, of a page that exists. Redirects and error pages are none. */
export function pageBody({ page, decoded, entry }: Capture): Buffer | undefined {
  if (entry.kind === 'check' || page.unread || page.status < 200 || page.status > 299) return undefined;
  return decoded;
}
