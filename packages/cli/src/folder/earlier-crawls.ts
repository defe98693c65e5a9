import { type CrawlSource, openArchive, ownCaptures } from '@webfarer/worker/archive';
import type { FolderReader } from '../crawl/local-port.ts';

/** The crawls that a recrawl refers to for what is unchanged, the newest first. */
export interface EarlierCrawls {
  sources: CrawlSource[];
  close(): Promise<void>;
}

type Read = (folder: string) => Promise<FolderReader>;

/** `previous`: the folder of the one before; those before that are found in it. */
export async function openEarlier(previous: string | undefined, read: Read): Promise<EarlierCrawls> {
  const readers: FolderReader[] = [];
  const sources: CrawlSource[] = [];
  const close = async (): Promise<void> => {
    for (const reader of readers) await reader.close();
  };
  try {
    for (let folder = previous; folder !== undefined; folder = readers.at(-1)?.previous) {
      if (sources.some((other) => other.folder === folder)) break;
      const reader = await read(folder);
      readers.push(reader);
      sources.push(sourceOf(folder, reader));
    }
    return { sources, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What one folder holds of its crawl. */
export function sourceOf(folder: string, { results, crawl, member, objects }: FolderReader): CrawlSource {
  return {
    folder,
    archive: openArchive(folder, objects),
    records: () => ownCaptures(results.records(crawl), member),
  };
}
