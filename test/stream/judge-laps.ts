import type { ResultsSource } from '../../packages/coordinator/src/results/results.ts';
import type { CrawlId } from '@webfarer/protocol';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';
import type { Lap, Received } from './follower.ts';

export interface LapVerdicts {
  laps: number;
  expected: number;
  received: number;
  /** Outcomes that a client does not have. */
  lost: number;
  /** Outcomes that it has twice, or that the crawl does not have. */
  repeated: number;
  /** Outcomes that came before one that was settled earlier in the same group. */
  disordered: number;
}

/** What is right: the URLs by the fake web itself, the order and each single outcome by the finished crawl, read in one go. */
export interface LapTruth {
  urls: ReadonlySet<string>;
  outcomes: Received[];
}

export async function truthOf(
  { web, expect, asked }: { web: Web; expect: ExpectOptions; asked: ReadonlySet<string> },
  results: ResultsSource,
  crawl: CrawlId,
): Promise<LapTruth> {
  const outcomes: Received[] = [];
  const query = { kinds: ['record'], filter: {}, limit: 1_000, absent: 'hold' } as const;
  for (let cursor, more = true; more; ) {
    const page = await results.after(crawl, cursor, query);
    for (const entry of page.entries)
      if (entry.kind === 'record') {
        const { url, group, record } = entry;
        outcomes.push({ url, group, startedAtMs: record.startedAtMs });
      }
    ({ cursor, more } = page);
  }
  const urls = new Set([...web.expected(expect)].map(({ url }) => withoutPort(url)));
  for (const url of asked) urls.add(withoutPort(url));
  return { urls, outcomes };
}

/** The log of the web names hosts without their ports. */
function withoutPort(url: string): string {
  return url.replace(/^(https?:\/\/[^/:]+):\d+/, '$1');
}

export function judgeLaps(laps: readonly Lap[], { urls, outcomes }: LapTruth): LapVerdicts {
  const keyOf = ({ url, startedAtMs }: Received) => `${url} ${startedAtMs}`;
  const right = new Map(outcomes.map((one, place) => [keyOf(one), { ...one, place }]));
  const verdicts = { laps: laps.length, expected: 0, received: 0, lost: 0, repeated: 0, disordered: 0 };
  for (const { received } of laps) {
    const keys = received.map(keyOf);
    const has = new Set(keys);
    const seenUrls = new Set(received.map(({ url }) => withoutPort(url)));
    verdicts.expected += Math.max(urls.size, right.size);
    verdicts.received += received.length;
    const missing = [...right.values()].filter((one) => !has.has(keyOf(one)));
    const unseen = [...urls].filter(
      (url) => !seenUrls.has(url) && !missing.some((one) => withoutPort(one.url) === url),
    );
    verdicts.lost += missing.length + unseen.length;
    verdicts.repeated += keys.length - has.size + [...has].filter((key) => !right.has(key)).length;
    const last = new Map<number, number>();
    for (const key of keys) {
      const one = right.get(key);
      if (!one) continue;
      if (one.place < (last.get(one.group) ?? -1)) verdicts.disordered++;
      last.set(one.group, one.place);
    }
  }
  return verdicts;
}
