import type { Redirected } from './edits.ts';

/** Members of a web app manifest that hold a URL, at any depth: icons, screenshots, shortcuts. */
const addresses = new Set(['src', 'url', 'start_url', 'scope']);

/** A web app manifest with rewritten addresses; one that is no JSON stays as it is. */
export function rewriteManifest(source: string, base: string, redirected: Redirected): string {
  try {
    const parsed: unknown = JSON.parse(source, (key, value: unknown) =>
      typeof value === 'string' && addresses.has(key) ? (redirected(value, base)?.href ?? value) : value,
    );
    return JSON.stringify(parsed, undefined, 2);
  } catch {
    return source;
  }
}
