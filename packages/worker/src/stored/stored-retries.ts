import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PageRecord, Url } from '@webfarer/protocol';
import { storedRetriesName } from '@webfarer/protocol/crawl';
import { openArchive } from '../archive/open-archive.ts';
import type { StoredRetries } from '../context/stored-retries.ts';
import { noOthers } from '../fetch/fetch.ts';
import { storedExchange } from './stored-exchange.ts';

/** Each line takes some hundred bytes of memory; what is beyond is requested. */
const maxLines = 200_000;

/** Undefined where no retry waits in this folder. */
export async function openStoredRetries(folder: string): Promise<StoredRetries | undefined> {
  const records = await readLines(join(folder, storedRetriesName));
  if (records.size === 0) return undefined;
  const archive = openArchive(folder);
  return {
    async take(url) {
      const record = records.get(url);
      records.delete(url);
      const at = record?.saved?.[0];
      if (!record || !at) return undefined;
      const exchange = await storedExchange(archive, at, record).catch(() => undefined);
      if (!exchange) return undefined;
      const { saved, resources } = record;
      return {
        page: { ...exchange, ok: true, others: noOthers, release: () => undefined },
        kept: { ...(saved ? { saved } : {}), ...(resources ? { resources } : {}) },
      };
    },
  };
}

async function readLines(path: string): Promise<Map<Url, PageRecord>> {
  const records = new Map<Url, PageRecord>();
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      if (line === '' || records.size >= maxLines) continue;
      const record = JSON.parse(line) as PageRecord;
      records.set(record.url, record);
    }
  } catch {
    // There is none, or it cannot be read: pages are requested as ever.
  }
  return records;
}
