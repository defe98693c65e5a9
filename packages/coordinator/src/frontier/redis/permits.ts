import type { Ceiling, Ledger } from './context/ledger.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';

/** Pages that a crawl may lease in one round; Infinity without a ceiling. */
export interface Permit {
  pages: number;
}

/** What one call to lease draws from the ceilings of crawls, round by round (F12). */
export interface Permits {
  /** Ends the round before. */
  draw(pages: number): Promise<Map<string, Permit>>;
  /** Ends the last round: which ceilings are reached, and which crawls must give back what this call has leased. */
  end(): Promise<{ reached: Map<string, Ceiling>; lost: ReadonlySet<string> }>;
  /** The call fails: whatever was leased reaches no worker. */
  abandon(): void;
}

export function createPermits(
  ledger: Pick<Ledger, 'draw' | 'abandon'>,
  running: readonly StoredCrawl[],
): Permits {
  const open = new Map<string, string>();
  const lost = new Set<string>();

  async function turn(pages: number) {
    const all = await Promise.all(
      running.map(async (crawl) => {
        const { c } = crawl;
        const allowance = await ledger.draw(crawl, pages, open.get(c));
        if (allowance.isLost) lost.add(c);
        if (allowance.draw === undefined) open.delete(c);
        else open.set(c, allowance.draw);
        return [c, allowance] as const;
      }),
    );
    return new Map(all);
  }

  return {
    draw: turn,
    async end() {
      const reached = new Map<string, Ceiling>();
      for (const [c, { by }] of await turn(0)) if (by) reached.set(c, by);
      return { reached, lost };
    },
    abandon() {
      for (const [c, draw] of open) ledger.abandon(c, draw);
    },
  };
}
