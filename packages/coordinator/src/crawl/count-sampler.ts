import type { Clock, CrawlId, CrawlSnapshot, CrawlState } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';
import type { CountHistory } from '../history/count-history.ts';
import { type Counts, slotMs } from '../history/samples.ts';

export interface CountSamplerOptions {
  crawl: CrawlId;
  clock: Clock;
  history: CountHistory;
  /** What others look at every second: a sample costs no look of its own. */
  reads: Pick<Frontier, 'balance' | 'totals'>;
  state: () => CrawlState;
}

/** Records the counts of a crawl while it runs, for its charts. */
export interface CountSampler {
  /** Samples it once in each slot until the signal comes. */
  keep(until: AbortSignal): Promise<void>;
  /** The counts it ends with here. */
  last(snapshot: CrawlSnapshot): Promise<void>;
}

export function createCountSampler({
  crawl,
  clock,
  history,
  reads,
  state,
}: CountSamplerOptions): CountSampler {
  /** Crawls of one coordinator take turns within a slot, and leave its ends free: clocks differ a little. */
  const offsetMs =
    slotMs / 4 + [...crawl].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % (slotMs / 2), 7);

  async function sample(how: { last: boolean }): Promise<void> {
    const [balance, totals] = await Promise.all([reads.balance(crawl), reads.totals(crawl)]);
    await history.note(crawl, countsOf(balance, totals), how);
  }

  return {
    async keep(until) {
      let wasRunning = true;
      while (!until.aborted) {
        const isRunning = state() === 'running';
        // With a full disk or a silent store there is no sample, and the history shows the gap.
        if (isRunning || wasRunning) await sample({ last: !isRunning }).catch(() => undefined);
        wasRunning = isRunning;
        const waitMs = slotMs - ((clock.now() - offsetMs) % slotMs);
        await clock.sleep(waitMs, until).catch(() => undefined);
      }
    },
    last: async ({ balance, bytes, items }) =>
      await history.note(crawl, countsOf(balance, { bytes, items }), { last: true }).catch(() => undefined),
  };
}

function countsOf(
  { queued, leased, done, failed, refused }: CrawlSnapshot['balance'],
  { bytes, items }: Pick<CrawlSnapshot, 'bytes' | 'items'>,
): Counts {
  return { queued, leased, done, failed, refused, bytes, items };
}
