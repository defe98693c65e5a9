import type { CrawlId } from '@webfarer/protocol';
import { type CountSample, type Counts, samplesIn } from './samples.ts';

/**
 * How the counts of crawls went over time. Bounded for each crawl whatever its length: the latest quarter of an hour has
 * every sample, and each doubling of the age halves what is left of them. Implementations: the database of a crawl and
 * Redis; `count-history.suite.ts` is what both pass.
 */
export interface CountHistory {
  /**
   * One sample for each slot of time, whoever comes first. `last`: in place of the one that the slot has, because no
   * other may follow. `restedMs`: for so long nothing has happened to the crawl, and no samples were taken. Of a crawl that
   * is not known, or not any more, nothing is kept.
   */
  note(crawl: CrawlId, counts: Counts, how?: { last?: boolean; restedMs?: number }): Promise<void>;
  /** In the order of time; empty for a crawl that is not known. */
  samples(crawl: CrawlId): Promise<CountSample[]>;
}

/** What a store keeps of one crawl: texts of samples by level, under `first` the very first, under `rests` when it rested. */
export type KeptLevels = ReadonlyMap<string, string>;

export const firstLevel = 'first';
export const restsLevel = 'rests';

/** As it was kept, made ready to be shown. */
export function historyIn(levels: KeptLevels): CountSample[] {
  const { [restsLevel]: rests = '', ...samples } = Object.fromEntries(levels);
  return samplesIn(levels.get(firstLevel) ?? '', Object.values(samples).join(''), rests);
}
