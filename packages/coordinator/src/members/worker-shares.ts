/** A coordinator, and how many workers are linked to it. */
export interface Load {
  id: string;
  /** How many it should have, beside the others; 0 or less: none. */
  capacity: number;
  workers: number;
}

/** So many workers of one coordinator are to switch to another. */
export interface Flow {
  from: string;
  to: string;
  count: number;
}

interface Share extends Load {
  even: number;
  least: number;
  most: number;
  after: number;
}

/**
 * The fewest switches after which every coordinator is within one worker of its even share, by capacity. Workers count
 * alike whatever they can do: with unequal ones the fewest switches would be a packing problem, and a worker that can
 * do more is no heavier for its coordinator while it waits. Everybody who knows the same numbers finds the same
 * flows, whatever the order; done twice, the second time there are none.
 */
export function evenOut(loads: readonly Load[]): Flow[] {
  const shares = sharesOf(loads);
  if (shares.every(({ capacity }) => capacity <= 0)) return [];
  for (const share of shares) share.after = Math.min(share.most, Math.max(share.least, share.workers));
  // Who must give and who must take need not come out even: others within their bounds make up for it.
  let open = sum(shares, ({ after }) => after) - sum(shares, ({ workers }) => workers);
  for (; open > 0; open--) furthest(shares, (share) => share.after - share.even, canGive).after -= 1;
  for (; open < 0; open++) furthest(shares, (share) => share.even - share.after, canTake).after += 1;
  return pairUp(shares);
}

const canGive = ({ after, least }: Share) => after > least;
const canTake = ({ after, most }: Share) => after < most;

function sharesOf(loads: readonly Load[]): Share[] {
  const capacity = sum(loads, (load) => Math.max(0, load.capacity));
  const workers = sum(loads, (load) => load.workers);
  const sorted = [...loads].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.map((load) => {
    if (load.capacity <= 0) return { ...load, even: 0, least: 0, most: 0, after: 0 };
    // A quotient of whole numbers is exact where it is whole; even ± 1 might not be.
    const part = workers * load.capacity;
    const least = Math.max(0, Math.ceil((part - capacity) / capacity));
    const most = Math.floor((part + capacity) / capacity);
    return { ...load, even: part / capacity, least, most, after: 0 };
  });
}

function furthest(shares: Share[], by: (share: Share) => number, can: (share: Share) => boolean): Share {
  let best: Share | undefined;
  for (const share of shares) if (can(share) && (!best || by(share) > by(best))) best = share;
  if (!best) throw new Error('no coordinator can make up for the others');
  return best;
}

function pairUp(shares: Share[]): Flow[] {
  const flows: Flow[] = [];
  const takers = shares.map(({ id, workers, after }) => ({ id, room: after - workers }));
  for (const { id, workers, after } of shares) {
    let left = workers - after;
    for (const taker of takers) {
      const count = Math.min(left, taker.room);
      if (count <= 0) continue;
      flows.push({ from: id, to: taker.id, count });
      taker.room -= count;
      left -= count;
    }
  }
  return flows;
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}
