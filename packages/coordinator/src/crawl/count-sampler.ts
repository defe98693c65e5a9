import type { Clock, CrawlId, CrawlSnapshot, CrawlState } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import type { Frontier } from '../frontier/frontier.ts';
import type { CountHistory } from '../history/count-history.ts';
import { type Counts, slotMs } from '../history/samples.ts';
import type { HostSampler } from './host-sampler.ts';
import type { CrawlPace } from './watch/crawl-pace.ts';

export interface CountSamplerOptions {
  crawl: CrawlId;
  clock: Clock;
  history: CountHistory;
  /** What others look at every second: a sample costs no look of its own. */
  reads: Pick<Frontier, 'balance' | 'totals'>;
  state: () => CrawlState;
  pace: Pick<CrawlPace, 'isResting' | 'clock'>;
  /** What its hosts do is sampled at the same times. */
  hosts: Pick<HostSampler, 'sample'>;
}

/** From one sample to the next while the crawl rests. */
const REST_MS = 900_000;

/** Records the counts of a crawl while it runs, for its charts. */
export interface CountSampler {
  /** Samples it once in each slot until the signal comes, and seldom while it rests. */
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
  pace,
  hosts,
}: CountSamplerOptions): CountSampler {
  const { sleep } = pace.clock({ resting: REST_MS });
  /** Crawls of one coordinator take turns within a slot, and leave its ends free: clocks differ a little. */
  const offsetMs =
    slotMs / 4 + [...crawl].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % (slotMs / 2), 7);

  async function sample(how: { last: boolean; restedMs: number }): Promise<void> {
    const [balance, totals] = await Promise.all([reads.balance(crawl), reads.totals(crawl)]);
    await history.note(crawl, countsOf(balance, totals), how);
  }

  return {
    async keep(until) {
      let wasRunning = true;
      let restsSinceMs: number | undefined;
      while (!until.aborted) {
        const isRunning = state() === 'running';
        // With a full disk or a silent store there is no sample, and the history shows the gap.
        const restedMs = restsSinceMs === undefined ? 0 : clock.now() - restsSinceMs;
        const how = { last: !isRunning, over: false, restedMs };
        if (isRunning || wasRunning) await Promise.allSettled([sample(how), hosts.sample(how)]);
        wasRunning = isRunning;
        const waitMs = slotMs - ((clock.now() - offsetMs) % slotMs);
        restsSinceMs = isRunning && pace.isResting() ? clock.now() : undefined;
        await sleep(waitMs, until).catch(() => undefined);
      }
    },
    async last(snapshot) {
      const { balance, bytes, items } = snapshot;
      await Promise.allSettled([
        history.note(crawl, countsOf(balance, { bytes, items }), { last: true }),
        hosts.sample({ last: true, over: isOver(snapshot) }),
      ]);
    },
  };
}

function countsOf(
  { queued, leased, done, failed, refused }: CrawlSnapshot['balance'],
  { bytes, items }: Pick<CrawlSnapshot, 'bytes' | 'items'>,
): Counts {
  return { queued, leased, done, failed, refused, bytes, items };
}
