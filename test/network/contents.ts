import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WARCParser } from 'warcio';
import { differences } from '../prove/folder-contents.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';

/** What a crawl with the scraper of titles left: results with the coordinator, bodies with whoever fetched them. */
export interface NetworkContents {
  /** Pages of text without an item, items without such a page, and items beyond one a page. */
  itemsDiffer: number;
  /** Captures that records point at, by who has them. */
  atWorkers: number;
  atCoordinator: number;
  /** Records that point at a place where no such capture is, and captures that the index has and no record. */
  misplaced: number;
}

export async function networkContents(
  coordinator: string,
  workers: readonly string[],
): Promise<NetworkContents> {
  const places = new Map<string, Set<string>>();
  const own = await idIn(join(coordinator, 'coordinator.json'));
  places.set(own, await capturesIn(coordinator));
  for (const folder of workers) places.set(await idIn(join(folder, 'worker.json')), await capturesOf(folder));
  const reader = await readFolder(coordinator);
  try {
    const items: string[] = [];
    const pages: string[] = [];
    for await (const { item } of reader.results.items(reader.crawl))
      items.push((item as { url: string }).url);
    let [atWorkers, atCoordinator, misplaced] = [0, 0, 0];
    for await (const { url, saved = [], mime, reason } of reader.results.records(reader.crawl)) {
      if (mime === 'text/html' && reason === 'ok') pages.push(url);
      for (const { member = '', file, offset } of saved) {
        if (member === own) atCoordinator++;
        else atWorkers++;
        if (!places.get(member)?.has(`${file.replace(/^.*\//, '')} ${offset} ${url}`)) misplaced++;
      }
    }
    misplaced += Math.abs((await indexOf(coordinator)).size - atCoordinator);
    return { itemsDiffer: differences(items, pages), atWorkers, atCoordinator, misplaced };
  } finally {
    await reader.close();
  }
}

async function idIn(file: string): Promise<string> {
  return (JSON.parse(await readFile(file, 'utf8')) as { id: string }).id;
}

/** Each as file, offset and URL. */
async function indexOf(folder: string): Promise<Set<string>> {
  const text = await readFile(join(folder, 'archive', 'index.cdxj'), 'utf8').catch(() => '');
  const lines = text.split('\n').slice(0, -1);
  return new Set(
    lines.map((line) => {
      const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
      return `${fields.filename} ${fields.offset} ${fields.url}`;
    }),
  );
}

/** All captures in the crawl folders of a worker, each as file, offset and URL. */
async function capturesOf(worker: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const crawl of (await readdir(worker)).filter((name) => name.endsWith('.crawl')))
    for (const capture of await capturesIn(join(worker, crawl))) found.add(capture);
  return found;
}

/** As a reader that is not ours finds them, as far as the index leads to them. */
async function capturesIn(folder: string): Promise<Set<string>> {
  const found = new Set<string>();
  const index = await indexOf(folder);
  const archive = join(folder, 'archive');
  for (const file of (await readdir(archive).catch(() => [])).filter((name) => name.includes('.warc.gz'))) {
    const parser = new WARCParser(createReadStream(join(archive, file)));
    for await (const record of parser) {
      await record.skipFully();
      const { warcType, warcTargetURI } = record;
      const capture = `${file.replace(/\.open$/, '')} ${parser.offset} ${warcTargetURI ?? ''}`;
      if ((warcType === 'response' || warcType === 'revisit') && index.has(capture)) found.add(capture);
    }
  }
  return found;
}
