import type { Clock, CrawlId, CrawlSnapshot, CrawlState } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import type { Frontier } from '../frontier/frontier.ts';
import type { CountHistory } from '../history/count-history.ts';
import { type Counts, slotMs } from '../history/samples.ts';
import type { HostSampler } from './host-sampler.ts';

export interface CountSamplerOptions {
  crawl: CrawlId;
  clock: Clock;
  history: CountHistory;
  /** What others look at every second: a sample costs no look of its own. */
  reads: Pick<Frontier, 'balance' | 'totals'>;
  state: () => CrawlState;
  /** What its hosts do is sampled at the same times. */
  hosts: Pick<HostSampler, 'sample'>;
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
  hosts,
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
        const how = { last: !isRunning, over: false };
        if (isRunning || wasRunning) await Promise.allSettled([sample(how), hosts.sample(how)]);
        wasRunning = isRunning;
        const waitMs = slotMs - ((clock.now() - offsetMs) % slotMs);
        await clock.sleep(waitMs, until).catch(() => undefined);
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
