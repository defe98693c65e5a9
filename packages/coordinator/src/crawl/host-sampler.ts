import type { CrawlId, HostKey, LeaseReport } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';
import type { HostHistory } from '../history/host-history.ts';
import { mostFollowed, placesText } from '../history/host-samples.ts';
import { type Candidate, nextRate, nextRoster } from '../history/next-roster.ts';
import { slotMs } from '../history/samples.ts';

export interface HostSamplerOptions {
  crawl: CrawlId;
  history: HostHistory;
  frontier: Pick<Frontier, 'hostSums'>;
  /** Where several coordinators work on the crawl: only the one that has this reads what hosts did. */
  claim: ((forMs: number) => Promise<boolean>) | undefined;
}

/** Records what the busiest hosts of a crawl do. */
export interface HostSampler {
  /** A report was committed here. */
  saw(report: Pick<LeaseReport, 'host' | 'settled' | 'news'>): void;
  sample(how: { last: boolean; over: boolean }): Promise<void>;
}

/** Hosts that are remembered between two samples; of more, the busiest half stays. */
const mostSeen = 4 * mostFollowed;
/** A host that is in trouble and has no pages is worth a row, where there is room. */
const troubleRate = 0.01;
const leastRate = 0.001;

export function createHostSampler({ crawl, history, frontier, claim }: HostSamplerOptions): HostSampler {
  let seen = new Map<HostKey, Candidate>();

  function keepBusiest(): void {
    const order = [...seen].toSorted(([, a], [, b]) => b.rate + b.fresh - a.rate - a.fresh);
    seen = new Map(order.slice(0, mostSeen / 2));
  }

  /** What was seen up to now; counting begins anew. */
  function take(): Candidate[] {
    const all = [...seen.values()].map((each) => ({ ...each, rate: nextRate(each.rate, each.fresh) }));
    const left = all.filter(({ rate }) => rate >= leastRate);
    seen = new Map(left.map((each) => [each.host, { ...each, fresh: 0 }]));
    return left;
  }

  return {
    saw({ host, settled, news }) {
      const pages = settled.reduce((sum, each) => sum + (isPageDone(each) ? 1 : 0), 0);
      if (pages === 0 && news.health !== 'trouble') return;
      const known = seen.get(host) ?? { host, fresh: 0, rate: troubleRate };
      known.fresh += pages;
      seen.set(host, known);
      if (seen.size > mostSeen) keepBusiest();
    },
    async sample(how) {
      // Another one has this slot. At the end nobody may be left to take it.
      if (claim && !how.last && !(await claim(slotMs / 2))) {
        take();
        return;
      }
      const roster = await history.look(crawl);
      // What is seen in the rest of the slot belongs to the next sample.
      if (!claim && roster?.isSampled && !how.last) return;
      const candidates = take();
      if (!roster || (roster.isSampled && !how.last)) return;
      const followed = roster.hosts.flatMap(({ host }) => (host === '' ? [] : [host]));
      const more = candidates.toSorted((a, b) => b.rate - a.rate).slice(0, 2 * mostFollowed);
      const sums = await frontier.hostSums(crawl, [...followed, ...more.map(({ host }) => host)]);
      const hosts = nextRoster(roster.hosts, { slot: roster.slot, candidates: more, sums });
      await history.note(crawl, { seen: roster, hosts, places: placesText(hosts, sums) }, how);
    },
  };
}

function isPageDone(settled: LeaseReport['settled'][number]): boolean {
  return settled.kind === 'outcome' && settled.record.verdict === 'done' && settled.record.kind === 'page';
}
