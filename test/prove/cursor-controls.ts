import type { ResultEntry } from '../../packages/coordinator/src/results/results.ts';
import { simulated } from '../redis/simulated-crawl.ts';
import type { TrialReader } from './cursor-reader.ts';

/** A reader that is made wrongly on purpose, to show that the judge notices. */
export interface Control {
  entries: ResultEntry[];
  read(): Promise<void>;
}

/** Keeps one place for all groups, the latest fetch that it has seen: what is settled behind it is never seen. */
export function onePlaceReader({ results }: TrialReader): Control {
  const entries: ResultEntry[] = [];
  let last = 0;
  return {
    entries,
    async read() {
      let latest = last;
      for await (const record of results.records(simulated)) {
        if (record.startedAtMs <= last) continue;
        latest = Math.max(latest, record.startedAtMs);
        entries.push({ kind: 'record', group: 0, url: record.url, record });
      }
      last = latest;
    },
  };
}

/** Counts what it has seen and leaves that many out the next time: a retry removes some of those before. */
export function countingReader({ results }: TrialReader): Control {
  const entries: ResultEntry[] = [];
  let seen = 0;
  return {
    entries,
    async read() {
      let nth = 0;
      for await (const record of results.records(simulated)) {
        if (nth++ < seen) continue;
        entries.push({ kind: 'record', group: 0, url: record.url, record });
      }
      seen = Math.max(seen, nth);
    },
  };
}
