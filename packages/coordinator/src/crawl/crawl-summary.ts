import { type CrawlSnapshot, type Pause, systemClock, type Url } from '@webfarer/protocol';
import type { Manifest } from '../folder/manifest.ts';
import { type FolderFrontier, readFrontier } from '../folder/open-frontier.ts';
import { previousPath } from '../folder/previous-folder.ts';
import type { GivenStore } from '../folder/store-password.ts';
import type { CrawlSummary } from './crawl.ts';
import type { LimitedBy } from './crawl-control.ts';
import { itemChangesIn } from './reading/item-changes.ts';
import { lateResults } from './late-results.ts';
import { unfetchedSeeds } from './job/unfetched-seeds.ts';

export interface SummaryParts {
  manifest: Manifest;
  folder: string;
  /** Still open. */
  frontier: Pick<FolderFrontier, 'results'>;
  seeds: readonly Url[];
  last: CrawlSnapshot;
  limitedBy: LimitedBy | undefined;
  pause: Pause | undefined;
  itemKey: readonly string[];
  given: GivenStore | undefined;
}

/** What is left to say of a crawl that has ended. Its items and records are read from the folder when they are asked for. */
export async function summarize(parts: SummaryParts): Promise<CrawlSummary> {
  const { manifest, folder, last, limitedBy, pause } = parts;
  const crawl = manifest.id;

  return {
    state: last.state,
    folder,
    snapshot: last,
    balance: last.balance,
    ...(limitedBy ? { limitedBy } : {}),
    ...(pause ? { pause } : {}),
    unfetchedSeeds: await unfetchedSeeds(parts.frontier.results, {
      crawl,
      seeds: [...parts.seeds],
      balance: last.balance,
    }),
    ...lateResults(crawl, () =>
      readFrontier({ folder, manifest }, { clock: systemClock(), given: parts.given }),
    ),
    itemChanges: {
      async *[Symbol.asyncIterator]() {
        const previous = await previousPath(folder, manifest);
        if (previous !== undefined)
          yield* itemChangesIn({ folder, manifest, previous, given: parts.given, key: parts.itemKey });
      },
    },
  };
}
