import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type PageRecord, systemClock, type Url } from '@webfarer/protocol';
import { handlerReasons, storedRetriesName } from '@webfarer/protocol/crawl';
import { renameDurably } from '@webfarer/protocol/node';
import { lockFolder } from '../../folder/folder-lock.ts';
import { type Manifest, memberOf, writeManifest } from '../../folder/manifest.ts';
import { changeFrontier, type FolderFrontier } from '../../folder/open-frontier.ts';
import { dropAll, retryAll } from '../../frontier/all-steps.ts';
import type { RecordFilter } from '../../results/results.ts';
import { seedOffer } from '../job/seeds.ts';
import { manifestOf, type ReadFolderOptions } from './folder-reader.ts';

/** Puts settled URLs of a crawl nobody is working on back into its queue; the next run fetches them. */
export async function retryFolder(
  path: string,
  filter: RecordFilter,
  options: ReadFolderOptions = {},
): Promise<number> {
  return await changeFolder(path, options, async ({ frontier, folder, manifest }) => {
    await keepAnswers(folder, frontier.results.records(manifest.id, filter), memberOf(manifest));
    return await retryAll(frontier, manifest.id, filter);
  });
}

/**
 * Makes these URLs the whole queue of a crawl nobody is working on; the next run fetches them, also those that were
 * fetched before. What was queued is dropped. Answers how many are queued: those over a budget are not.
 */
export async function queueInFolder(
  path: string,
  urls: readonly Url[],
  options: ReadFolderOptions = {},
): Promise<number> {
  return await changeFolder(path, options, async ({ frontier, manifest: { id } }) => {
    await dropAll(frontier, id, { filter: {}, reason: 'dropped' });
    let queued = 0;
    for (const url of urls) {
      const [verdict] = await frontier.offer(id, [seedOffer(url, 'page')]);
      if (verdict === 'accepted') queued++;
      // A prefix finds the URL by its place, and others that begin with it.
      else if (verdict === 'known')
        queued += await retryAll(frontier, id, { prefix: url }, (known) => known.url === url);
    }
    return queued;
  });
}

interface Changing {
  folder: string;
  manifest: Manifest;
  frontier: FolderFrontier;
}

/** Changes the queue of a crawl at rest. Where something was queued the crawl is not over any more. */
async function changeFolder(
  path: string,
  { segments, given }: ReadFolderOptions,
  change: (changing: Changing) => Promise<number>,
): Promise<number> {
  const folder = resolve(path);
  const manifest = await manifestOf(folder);
  const lock = lockFolder(folder);
  const frontier = await changeFrontier(
    { folder, manifest },
    { clock: systemClock(), segments, given },
  ).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  try {
    const count = await change({ folder, manifest, frontier });
    if (count > 0) {
      // Others may be working on a crawl in a store.
      if (!manifest.store) await frontier.setState(manifest.id, 'stopped');
      manifest.session.state = 'stopped';
      await writeManifest(folder, manifest);
    }
    return count;
  } finally {
    await frontier.close();
    lock.release();
  }
}

/**
 * Notes which of these pages only their handler failed on and where their answers are: their handler is run on those, and
 * no request is made for them. Replaces what an earlier retry noted.
 */
async function keepAnswers(
  folder: string,
  records: AsyncIterable<PageRecord>,
  member: string | undefined,
): Promise<void> {
  const path = join(folder, storedRetriesName);
  const out = createWriteStream(`${path}.new`);
  let lines = 0;
  async function* noted(): AsyncIterable<string> {
    for await (const { title: _title, detail: _detail, signals: _signals, ...record } of records) {
      const saved = record.saved?.filter((at) => at.member === member) ?? [];
      if (!handlerReasons.has(record.reason) || saved.length === 0) continue;
      lines++;
      yield `${JSON.stringify({ ...record, saved })}\n`;
    }
  }
  await pipeline(noted(), out);
  if (lines > 0) return await renameDurably(`${path}.new`, path);
  await rm(`${path}.new`);
  await rm(path, { force: true });
}
