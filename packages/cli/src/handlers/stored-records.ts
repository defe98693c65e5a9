import type { Entry, PageRecord, Url } from '@webfarer/protocol';
import { entryOf, readStored, type Stored } from '@webfarer/worker';
import { isReadable, openArchive } from '@webfarer/worker/archive';
import type { FolderReader } from '../crawl/local-port.ts';
import { readFolder } from '../local/folder-reader.ts';

/** A page whose answer is in an archive. */
export interface StoredRecord {
  /** As the crawl had queued it. */
  entry: Entry;
  /** Throws WebfarerError `not-found` where the bytes are gone. */
  read(): Promise<Stored>;
}

/** The answers that a crawl folder holds, those of unchanged pages in the folders of the crawls before it. */
export interface StoredRecords {
  /** Undefined: this folder has no body of it. */
  of(record: PageRecord): StoredRecord | undefined;
  find(url: Url): Promise<StoredRecord | undefined>;
  close(): Promise<void>;
}

export function storedRecords(folder: string, reader: FolderReader): StoredRecords {
  const archive = openArchive(folder, reader.objects);
  let before: Promise<{ opened: FolderReader; stored: StoredRecords } | undefined> | undefined;

  async function openBefore() {
    if (reader.previous === undefined) return undefined;
    const opened = await readFolder(reader.previous);
    return { opened, stored: storedRecords(reader.previous, opened) };
  }

  async function earlier(url: Url): Promise<Stored | undefined> {
    before ??= openBefore();
    const found = await (await before)?.stored.find(url);
    return await found?.read();
  }

  const of: StoredRecords['of'] = (record) => {
    const { member } = reader;
    const at = record.saved?.find((place) => isReadable(place, member));
    if (!at) return undefined;
    return { entry: entryOf(record), read: () => readStored(archive, at, record, earlier) };
  };

  return {
    of,
    async find(url) {
      const record = await reader.record(url);
      return record && of(record);
    },
    async close() {
      const opened = await before?.catch(() => undefined);
      await opened?.stored.close();
      await opened?.opened.close();
    },
  };
}
