import type { Clock } from '@webfarer/protocol';
import type { Frontier } from './frontier/frontier.ts';

/** What is only looked at: a moment's delay decides nothing. */
export interface CalmReads extends Pick<Frontier, 'balance' | 'totals' | 'waiting'> {
  /** The next look is a real one. */
  forget(): void;
}

/** Whoever asks more often is shown the last look. */
const EVERY_MS = 700;
/** A store that does not answer sooner is shown as it was. */
const PATIENCE_MS = 1_000;

/**
 * On a shared store the sums of a crawl are a thousand small reads, and a view asks for them many times a second. So
 * there is one look at a time and at most about one a second; while the store is silent, the last one stands.
 */
export function calmReads(
  frontier: Pick<Frontier, 'balance' | 'totals' | 'waiting'>,
  clock: Clock,
): CalmReads {
  const looks = new Map<string, Look<unknown>>();

  async function look<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = (looks.get(key) ?? { atMs: Number.NEGATIVE_INFINITY }) as Look<T>;
    looks.set(key, known);
    if (known.value !== undefined && clock.now() - known.atMs < EVERY_MS) return known.value;
    known.reading ??= read()
      .then((value) => Object.assign(known, { value, atMs: clock.now() }).value)
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

  return {
    balance: (crawl) => look(`balance ${crawl}`, () => frontier.balance(crawl)),
    totals: (crawl) => look(`totals ${crawl}`, () => frontier.totals(crawl)),
    waiting: (crawl, limit) => look(`waiting ${limit} ${crawl}`, () => frontier.waiting(crawl, limit)),
    forget: () => looks.clear(),
  };
}

interface Look<T> {
  value?: T;
  atMs: number;
  reading?: Promise<T>;
}
