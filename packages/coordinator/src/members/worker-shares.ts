/** A coordinator, and how many workers are connected to it. */
export interface Load {
  id: string;
  /** How many it should have, beside the others; 0 or less: none. */
  capacity: number;
  /** Workers that may be told to switch. */
  workers: number;
  /** It has a worker of its own, which never switches. */
  pinned: boolean;
  /** The crawl it serves. */
  crawl: string;
  /** How many workers that crawl has something to do for. */
  wants: number;
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

/** Coordinators that can use workers, by crawl. */
type Demand = Map<string, Load[]>;

/**
 * The fewest switches after which every coordinator is within one worker of its even share, by capacity, and every crawl
 * with work has a worker where there are enough. A crawl that has work for few gets no more than these while others
 * could use them; one that has work for none gives all away. Workers count alike whatever they can do: with unequal ones
 * the fewest switches would be a packing problem, and a worker that can do more is no heavier for its coordinator while
 * it waits. Everybody who knows the same numbers finds the same flows, whatever the order; done twice, the second time
 * there are none.
 */
export function evenOut(loads: readonly Load[]): Flow[] {
  const demand = demandOf(loads);
  if (demand.size === 0) return [];
  const shares = sharesOf(loads, demand);
  for (const share of shares) share.after = Math.min(share.most, Math.max(share.least, share.workers));
  // Who must give and who must take need not come out even: others within their bounds make up for it.
  let open = sum(shares, ({ after }) => after) - sum(shares, ({ workers }) => workers);
  for (; open > 0; open--) furthest(shares, (share) => share.after - share.even, canGive).after -= 1;
  for (; open < 0; open++) furthest(shares, (share) => share.even - share.after, canTake).after += 1;
  return pairUp(shares);
}

/** Crawls that have work, and neither a worker of their own nor any that could be told to switch. */
export function starving(loads: readonly Load[]): Load[] {
  const groups = [...demandOf(loads).values()];
  return groups
    .filter((group) => group.every(({ workers, pinned }) => workers === 0 && !pinned))
    .map((group) => group[0] as Load);
}

/** Above 1: there are fewer workers than crawls that need one, so they must take turns. */
export function crawlsPerWorker(loads: readonly Load[]): number {
  const needy = [...demandOf(loads).values()].filter((group) => !group.some(({ pinned }) => pinned));
  const workers = sum(loads, (load) => load.workers);
  return workers === 0 ? 1 : needy.length / workers;
}

const canGive = ({ after, least }: Share) => after > least;
const canTake = ({ after, most }: Share) => after < most;
const isBefore = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

function demandOf(loads: readonly Load[]): Demand {
  const wanting = loads.filter(({ capacity, wants }) => capacity > 0 && wants > 0);
  return Map.groupBy(wanting.toSorted(isBefore), ({ crawl }) => crawl);
}

function sharesOf(loads: readonly Load[], demand: Demand): Share[] {
  const workers = sum(loads, (load) => load.workers);
  const parts = partsOf(demand, workers);
  const shares = loads.toSorted(isBefore).map((load) => {
    const part = load.capacity > 0 && load.wants > 0 ? parts.get(load.crawl) : undefined;
    if (!part) return { ...load, even: 0, least: 0, most: 0, after: 0 };
    // A quotient of whole numbers is exact where it is whole; even ± 1 might not be.
    const top = part.workers * load.capacity;
    const least = Math.max(0, Math.ceil((top - part.capacity) / part.capacity));
    const most = Math.floor((top + part.capacity) / part.capacity);
    return { ...load, even: top / part.capacity, least, most, after: 0 };
  });
  if (demand.size <= workers) giveEachOne(shares, demand, workers);
  return shares;
}

interface Part {
  workers: number;
  capacity: number;
}

/** So many workers for the coordinators of a crawl, which have that much capacity together. */
function partsOf(demand: Demand, workers: number): Map<string, Part> {
  const fixed = new Map<string, Part>();
  const groups = [...demand].map(([crawl, group]) => ({
    crawl,
    capacity: sum(group, ({ capacity }) => capacity),
    wants: Math.max(...group.map(({ wants }) => wants)),
  }));
  // Where nobody could use more, it does not matter who has them.
  let open = sum(groups, ({ wants }) => wants) < workers ? [] : groups;
  let left = workers;
  for (;;) {
    const capacity = sum(open, (group) => group.capacity);
    const small = open.filter((group) => group.wants * capacity < left * group.capacity);
    if (small.length === 0) break;
    for (const group of small) fixed.set(group.crawl, { workers: group.wants, capacity: group.capacity });
    left -= sum(small, ({ wants }) => wants);
    open = open.filter((group) => !small.includes(group));
  }
  const rest = { workers: left, capacity: sum(open.length > 0 ? open : groups, (group) => group.capacity) };
  for (const { crawl } of groups) if (!fixed.has(crawl)) fixed.set(crawl, rest);
  return fixed;
}

/** Nobody is left with nothing because its even share is below one. */
function giveEachOne(shares: Share[], demand: Demand, workers: number): void {
  for (const group of demand.values()) {
    const own = shares.filter(({ id }) => group.some((load) => load.id === id));
    if (own.some(({ least, pinned }) => least > 0 || pinned)) continue;
    const first = own.toSorted((a, b) => b.workers - a.workers || isBefore(a, b))[0] as Share;
    first.least = 1;
    first.most = Math.max(1, first.most);
  }
  for (let over = sum(shares, ({ least }) => least) - workers; over > 0; over--)
    furthest(
      shares,
      ({ least }) => least,
      ({ least }) => least > 1,
    ).least -= 1;
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
