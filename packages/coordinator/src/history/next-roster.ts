import type { HostKey, HostSums } from '@webfarer/protocol';
import { type FollowedHost, mostFollowed } from './host-samples.ts';

/** A host that a coordinator saw at work, and that is not followed yet. */
export interface Candidate {
  host: HostKey;
  /** Pages of it that were settled there since the last sample. */
  fresh: number;
  /** Pages of a slot, lately. */
  rate: number;
}

/** A host that is busier takes the place of another one, a few in each slot: rows must not come and go. */
const mostDisplaced = 10;
/** How much the latest slot weighs in a rate. */
const weight = 0.2;

export const nextRate = (rate: number, pages: number): number => rate * (1 - weight) + pages * weight;

/**
 * The hosts that are followed from this slot on. Those that the store does not know any more leave their places; the rest
 * are given to candidates, the busiest first. Once all are taken, a candidate must be twice as busy as the host it displaces.
 */
export function nextRoster(
  hosts: readonly FollowedHost[],
  how: {
    slot: number;
    candidates: readonly Candidate[];
    sums: ReadonlyMap<HostKey, Pick<HostSums, 'pages'>>;
  },
): FollowedHost[] {
  const { slot, candidates, sums } = how;
  const next = hosts.map((each): FollowedHost => {
    const known = each.host === '' ? undefined : sums.get(each.host);
    if (!known) return { ...each, host: '' };
    // A retry takes pages away again.
    const rate = nextRate(each.rate, Math.max(0, known.pages - each.pages));
    return { ...each, pages: known.pages, rate };
  });
  let displaced = 0;
  for (const { host, fresh, rate } of candidates.toSorted((a, b) => b.rate - a.rate)) {
    const known = sums.get(host);
    if (!known || next.some((each) => each.host === host)) continue;
    const joined = { host, from: slot, whole: known.pages === fresh, pages: known.pages, rate };
    const free = next.findIndex((each) => each.host === '');
    if (free >= 0) next[free] = joined;
    else if (next.length < mostFollowed) next.push(joined);
    else if (displaced < mostDisplaced) {
      const least = next.reduce((at, each, n) => (each.rate < (next[at]?.rate ?? 0) ? n : at), 0);
      if (rate <= 2 * (next[least]?.rate ?? 0) + weight) return next;
      next[least] = joined;
      displaced++;
    }
  }
  return next;
}
