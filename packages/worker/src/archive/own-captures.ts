import type { PageRecord, SavedAt } from '@webfarer/protocol';
import type { Archive } from './archive.ts';

/** A crawl whose captures are read: what makes one file or folder of several takes the newest first. */
export interface CrawlSource {
  folder: string;
  /** What is saved of it. */
  archive: Archive;
  /** All committed records, with the captures that are in the folder; read more than once. */
  records: () => AsyncIterable<PageRecord>;
}

/** Whether a capture can be read from a folder: it is in this one of those that share the crawl, or in object storage. */
export function isReadable({ shared, member: of }: SavedAt, member: string | undefined): boolean {
  return member === undefined || shared === true || of === member;
}

/** Records as one folder has them: where a crawl is shared, captures in other folders are left out. */
export async function* ownCaptures(
  records: AsyncIterable<PageRecord>,
  member: string | undefined,
): AsyncIterable<PageRecord> {
  if (member === undefined) return yield* records;
  const ownIn = (saved: SavedAt[] = []): SavedAt[] => saved.filter((at) => isReadable(at, member));
  for await (const { saved, resources, ...record } of records) {
    const own = ownIn(saved);
    const loaded = resources
      ?.map((resource) => ({ ...resource, saved: ownIn(resource.saved) }))
      .filter((resource) => resource.saved.length > 0);
    yield {
      ...record,
      ...(own.length === 0 ? {} : { saved: own }),
      ...(loaded === undefined || loaded.length === 0 ? {} : { resources: loaded }),
    };
  }
}
