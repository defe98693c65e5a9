import type { ResultEntry } from '../../packages/coordinator/src/results/results.ts';
import { simulated } from '../redis/simulated-crawl.ts';
import type { TrialReader } from './cursor-reader.ts';

/** A reader that is made wrongly on purpose, to show that the judge notices. */
export interface Control {
  entries: ResultEntry[];
  read(): Promise<void>;
}

/**
 * Counts what it has seen and leaves that many out the next time: a retry removes some of those before, and groups that
 * are read first grow.
 */
export function countingReader({ results }: TrialReader): Control {
  const entries: ResultEntry[] = [];
  let seen = 0;
  return {
    entries,
    async read() {
      let nth = 0;
      for await (const record of results.records(simulated)) {
        if (nth++ < seen) continue;
        entries.push({ kind: 'record', group: 0, place: { major: nth, minor: 0 }, url: record.url, record });
      }
      seen = Math.max(seen, nth);
    },
  };
}
