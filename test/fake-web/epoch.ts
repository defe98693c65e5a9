import { hash } from './hash.ts';
import type { Host } from './hosts.ts';
import { isServing, leafKind, publicLeaves, type WebBase } from './pages.ts';

/**
 * The web a while later. Epoch 0 is the web as it was; from epoch 1 on a tenth of the pages has another text,
 * some pages are gone, and some hosts have new ones. All of it follows from the seed.
 */
const revisedPercent = 10;
const removedPercent = 6;
export const addedPerHost = 2;

/** How often the text of a page was rewritten; its ETag follows. */
export function revisionOf(base: WebBase, host: Host, salt: number): number {
  if (base.epoch === 0) return 0;
  if (hasNews(base, host) && salt === newsSalt) return 1;
  return hash(base.seed, host.index, salt, 90) % 100 < revisedPercent ? 1 : 0;
}

/** A leaf that answers 404 now; the links to it stay. */
export function isRemoved(base: WebBase, host: Host, leaf: number): boolean {
  if (base.epoch === 0 || leaf < publicLeaves || leafKind(base, host, leaf) !== 'plain') return false;
  return hash(base.seed, host.index, leaf, 91) % 100 < removedPercent;
}

/** The page on which the new pages of a host are announced: its first index. */
export const newsSalt = 2_000_000;

export function hasNews(base: WebBase, host: Host): boolean {
  return base.epoch > 0 && isServing(host) && host.index % 3 === 0;
}

export function addedPaths(base: WebBase, host: Host): string[] {
  return hasNews(base, host) ? Array.from({ length: addedPerHost }, (_, n) => `/fresh/${n}`) : [];
}
