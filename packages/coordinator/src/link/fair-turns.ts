/** Whose turn it is among those that share something: who was given the least comes first. */
interface Turns<Key> {
  standing(key: Key): number;
  given(key: Key, amount: number): void;
  drop(key: Key): void;
}

/** One that had no work for a while, or is new, does not make up for that time: it begins where the others are. */
function createTurns<Key>(): Turns<Key> {
  /** Given so far, or what stands for it where one came later. */
  const given = new Map<Key, number>();
  /** Where the one stood that was last given something: nobody begins behind it. */
  let floor = 0;
  const standing = (key: Key) => Math.max(given.get(key) ?? 0, floor);
  return {
    standing,
    given(key, amount) {
      const before = standing(key);
      given.set(key, before + amount);
      floor = Math.max(floor, before);
    },
    drop: (key) => void given.delete(key),
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
  /** It was granted so many leases. */
  granted(crawl: Sharing<Key>, leases: number): void;
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
    granted({ key, team }, leases) {
      teams.given(team, leases / weightOf(team));
      within(team).given(key, leases);
    },
    drop: ({ key, team }) => crawls.get(team)?.drop(key),
  };
}
