/**
 * Start-time fair queueing. What waits belongs to a crawl of a team: the next is of the team that was charged the least, and
 * within it of the crawl that was. While two teams both wait, neither is charged more than the other by more than one turn
 * of each. Who comes, or comes back, begins where the others are: what it did not use meanwhile is not saved up.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** Within a crawl, first come, first served. */
  add(line: Line, item: T): void;
  /** Undefined: nothing waits. */
  take(): T | undefined;
  /** A turn of one that does not have to wait. */
  pass(line: Line): void;
  /** What a turn has cost; may be told in parts. */
  charge(line: Line, ms: number): void;
}

/** Where a crawl stands. */
export interface Line {
  /** The same object for all crawls of a team. */
  readonly team: Share;
  readonly crawl: Share;
}

/** Virtual times, in milliseconds: they are compared with each other and with nothing else. */
export interface Share {
  chargedMs: number;
  /** Of a team: where that of its crawls stood which had the last turn. */
  turnMs: number;
}

export function openShare(): Share {
  return { chargedMs: 0, turnMs: 0 };
}

/** The crawls of a team that wait, with what they wait for. */
type Waiting<T> = Map<Share, T[]>;

export function createFairQueue<T>(): FairQueue<T> {
  const teams = new Map<Share, Waiting<T>>();
  /** Where the team stood that had the last turn. */
  let turnMs = 0;
  let size = 0;

  function catchUp({ team, crawl }: Line): void {
    if (!teams.has(team)) team.chargedMs = Math.max(team.chargedMs, turnMs);
    if (!teams.get(team)?.has(crawl)) crawl.chargedMs = Math.max(crawl.chargedMs, team.turnMs);
  }

  function begin(team: Share, crawl: Share): void {
    turnMs = team.chargedMs;
    team.turnMs = crawl.chargedMs;
  }

  return {
    get size() {
      return size;
    },
    add(line, item) {
      catchUp(line);
      const crawls = teams.get(line.team) ?? new Map<Share, T[]>();
      teams.set(line.team, crawls);
      const items = crawls.get(line.crawl);
      if (items) items.push(item);
      else crawls.set(line.crawl, [item]);
      size += 1;
    },
    take() {
      const team = leastCharged(teams.keys());
      const crawls = team && teams.get(team);
      const crawl = crawls && leastCharged(crawls.keys());
      const items = crawl && crawls.get(crawl);
      if (!items) return undefined;
      begin(team, crawl);
      const item = items.shift();
      size -= 1;
      if (items.length === 0) crawls.delete(crawl);
      if (crawls.size === 0) teams.delete(team);
      return item;
    },
    pass(line) {
      catchUp(line);
      begin(line.team, line.crawl);
    },
    charge({ team, crawl }, ms) {
      team.chargedMs += ms;
      crawl.chargedMs += ms;
    },
  };
}

/** Of equals the one that has waited longer. */
function leastCharged(shares: Iterable<Share>): Share | undefined {
  let least: Share | undefined;
  for (const share of shares) if (!least || share.chargedMs < least.chargedMs) least = share;
  return least;
}
