import type { Clock, CrawlId } from '@webfarer/protocol';
import type { CrawlOverview, Frontier } from './frontier.ts';

/** What is only looked at: a moment's delay decides nothing. */
export interface CalmReads extends Reads {
  /** Something happened to this crawl here: looks at it need not be seldom any more. */
  stir(crawl: CrawlId): void;
  /** It is over here. */
  drop(crawl: CrawlId): void;
  /** The next look is a real one. */
  forget(): void;
}

type Reads = Pick<Frontier, 'balance' | 'totals' | 'waiting'>;
type Waiting = Awaited<ReturnType<Frontier['waiting']>>;

/** Whoever asks more often is shown the last look. */
const EVERY_MS = 700;
/** The same after many looks in a row that all saw the same. */
const SELDOM_MS = 5_000;
/** A store that does not answer sooner is shown as it was. */
const PATIENCE_MS = 1_000;

/**
 * On a shared store the sums of a crawl are a thousand small reads, and a view asks for them many times a second. So
 * there is one look at a time for balance and totals together, at most about one a second, and fewer while nothing
 * changes; while the store is silent, the last one stands.
 */
export function calmReads(frontier: Pick<Frontier, 'waiting' | 'overview'>, clock: Clock): CalmReads {
  const looks = new Map<CrawlId, Map<string, Look<unknown>>>();

  function keep<T>(known: Look<T>, value: T): T {
    const text = JSON.stringify(value);
    known.ageMs = text === known.text ? Math.min(2 * known.ageMs, SELDOM_MS) : EVERY_MS;
    return Object.assign(known, { value, text, atMs: clock.now() }).value;
  }

  function lookOf<T>(crawl: CrawlId, what: string): Look<T> {
    let own = looks.get(crawl);
    if (!own) looks.set(crawl, (own = new Map()));
    const known = (own.get(what) ?? { atMs: Number.NEGATIVE_INFINITY, ageMs: EVERY_MS }) as Look<T>;
    own.set(what, known);
    return known;
  }

  async function look<T>(known: Look<T>, read: () => Promise<T>): Promise<T> {
    if (known.value !== undefined && clock.now() - known.atMs < known.ageMs) return known.value;
    known.reading ??= read()
      .then((value) => keep(known, value))
      .finally(() => {
        delete known.reading;
      });
    const { value, reading } = known;
    if (value === undefined) return await reading;
    const patience = new AbortController();
    const late = clock.sleep(PATIENCE_MS, patience.signal).then(() => value);
    late.catch(() => undefined);
    try {
      return await Promise.race([reading, late]);
    } catch {
      return value;
    } finally {
      patience.abort();
    }
  }

  const sums = (crawl: CrawlId) => look(lookOf<CrawlOverview>(crawl, 'sums'), () => frontier.overview(crawl));

  return {
    balance: async (crawl) => (await sums(crawl)).balance,
    totals: async (crawl) => (await sums(crawl)).totals,
    waiting: (crawl, limit) =>
      look(lookOf<Waiting>(crawl, `waiting ${limit}`), () => frontier.waiting(crawl, limit)),
    stir(crawl) {
      for (const known of looks.get(crawl)?.values() ?? []) known.ageMs = EVERY_MS;
    },
    drop: (crawl) => void looks.delete(crawl),
    forget: () => looks.clear(),
  };
}

interface Look<T> {
  value?: T;
  /** The value, to see whether the next is another one. */
  text?: string;
  atMs: number;
  /** How long it is shown. */
  ageMs: number;
  reading?: Promise<T>;
}
