/** Whose turn it is among those that share something: who was given the least comes first. */
interface Turns<Key> {
  standing(key: Key): number;
  given(key: Key, amount: number): void;
  /** Whether it could have been given more. */
  mark(key: Key, isBusy: boolean): void;
  /** Some could. */
  readonly isBusy: boolean;
  /** Where those begin that had nothing to do until now: with the one that was given the least. */
  settle(): void;
  /** It is there from now on, and has something to do as far as is known. */
  enter(key: Key): void;
  drop(key: Key): void;
}

/**
 * One that had nothing to do for a while, or is new, does not make up for that time: it begins where the others are. One
 * that always had something to do is owed whatever it was given too little of.
 */
function createTurns<Key>(): Turns<Key> {
  /** Given so far, or what stands for it where one came later. */
  const given = new Map<Key, number>();
  const busy = new Set<Key>();
  let level = 0;
  const standing = (key: Key) => {
    const own = given.get(key) ?? 0;
    return busy.has(key) ? own : Math.max(own, level);
  };
  return {
    standing,
    given: (key, amount) => void given.set(key, standing(key) + amount),
    mark(key, isBusy) {
      if (busy.has(key) === isBusy) return;
      given.set(key, standing(key));
      if (isBusy) busy.add(key);
      else busy.delete(key);
    },
    get isBusy() {
      return busy.size > 0;
    },
    settle() {
      let least = Number.POSITIVE_INFINITY;
      for (const key of busy) least = Math.min(least, given.get(key) ?? 0);
      if (busy.size > 0) level = Math.max(level, least);
    },
    enter(key) {
      if (given.has(key)) return;
      given.set(key, level);
      busy.add(key);
    },
    drop(key) {
      given.delete(key);
      busy.delete(key);
    },
  };
}

/** A crawl that shares workers with others, those of its team before those of other teams. */
export interface Sharing<Key> {
  key: Key;
  team: string;
}

/**
 * Whose turn it is among crawls that share workers. Teams share first, each by its weight, however many crawls it has;
 * then the crawls of a team, all alike. Without teams, the crawl that was granted the fewest leases comes first.
 */
export interface FairTurns<Key> {
  /** The same crawls, those that deserve the next lease most first. */
  order<T extends Sharing<Key>>(all: readonly T[]): T[];
  /** What each of these crawls deserves of what they share, in any unit. */
  shares(all: readonly Sharing<Key>[]): number[];
  /** It was granted so many leases; `isShort`: it had no more. */
  granted(crawl: Sharing<Key>, leases: number, isShort: boolean): void;
  /** It has nothing to give at the moment. */
  rest(crawl: Sharing<Key>): void;
  /** It wants no more, for a while or for good. */
  drop(crawl: Sharing<Key>): void;
}

export function createFairTurns<Key>(weightOf: (team: string) => number): FairTurns<Key> {
  const teams = createTurns<string>();
  const crawls = new Map<string, Turns<Key>>();
  /** Among equals, each begins once. */
  let turn = 0;

  function within(team: string): Turns<Key> {
    let turns = crawls.get(team);
    if (!turns) crawls.set(team, (turns = createTurns()));
    return turns;
  }

  return {
    order(all) {
      if (all.length < 2) return [...all];
      teams.settle();
      for (const turns of crawls.values()) turns.settle();
      for (const { key, team } of all) {
        within(team).enter(key);
        teams.enter(team);
      }
      const first = turn++ % all.length;
      const rotated = [...all.slice(first), ...all.slice(0, first)];
      // Crawls of a team stay together, also where its standing is that of another.
      const places = new Map<string, number>();
      for (const { team } of rotated) if (!places.has(team)) places.set(team, places.size);
      return rotated.sort((a, b) =>
        a.team === b.team
          ? within(a.team).standing(a.key) - within(a.team).standing(b.key)
          : teams.standing(a.team) - teams.standing(b.team) ||
            (places.get(a.team) ?? 0) - (places.get(b.team) ?? 0),
      );
    },
    shares(all) {
      const [one] = all;
      if (all.every(({ team }) => team === one?.team)) return all.map(() => 1);
      const sizes = new Map<string, number>();
      for (const { team } of all) sizes.set(team, (sizes.get(team) ?? 0) + 1);
      return all.map(({ team }) => weightOf(team) / (sizes.get(team) ?? 1));
    },
    granted({ key, team }, leases, isShort) {
      const own = within(team);
      own.given(key, leases);
      own.mark(key, !isShort);
      teams.given(team, leases / weightOf(team));
      teams.mark(team, own.isBusy);
    },
    rest({ key, team }) {
      const own = within(team);
      own.mark(key, false);
      teams.mark(team, own.isBusy);
    },
    drop({ key, team }) {
      within(team).drop(key);
      if (!within(team).isBusy) teams.drop(team);
    },
  };
}
