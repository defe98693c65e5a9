import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listWarc } from '@webfarer/worker';
import { differences } from '../prove/folder-contents.ts';
import { readFolder } from '../../packages/cli/src/local/folder-reader.ts';

/** What a crawl with the scraper of titles left: results with the coordinator, bodies with whoever fetched them. */
export interface NetworkContents {
  /** Pages of text without an item, items without such a page, and items beyond one a page. */
  itemsDiffer: number;
  /** Captures that records point at, by who has them. */
  captures: Record<string, number>;
  /** Records that point at a place where no such capture is. */
  misplaced: number;
}

export async function networkContents(
  coordinator: string,
  workers: readonly string[],
): Promise<NetworkContents> {
  const places = new Map<string, Set<string>>();
  for (const folder of workers) places.set(await workerIdOf(folder), await capturesIn(folder));
  const reader = await readFolder(coordinator);
  try {
    const items: string[] = [];
    const pages: string[] = [];
    for await (const { item } of reader.results.items(reader.crawl))
      items.push((item as { url: string }).url);
    const captures: Record<string, number> = {};
    let misplaced = 0;
    for await (const { url, saved = [], mime, reason } of reader.results.records(reader.crawl)) {
      if (mime === 'text/html' && reason === 'ok') pages.push(url);
      for (const { member = '', file, offset } of saved) {
        captures[member] = (captures[member] ?? 0) + 1;
        if (!places.get(member)?.has(`${file.replace(/^.*\//, '')} ${offset} ${url}`)) misplaced++;
      }
    }
    return { itemsDiffer: differences(items, pages), captures, misplaced };
  } finally {
    await reader.close();
  }
}

async function workerIdOf(folder: string): Promise<string> {
  return (JSON.parse(await readFile(join(folder, 'worker.json'), 'utf8')) as { id: string }).id;
}

/** All captures in the crawl folders of a worker, each as file, offset and URL. */
async function capturesIn(folder: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const crawl of (await readdir(folder)).filter((name) => name.endsWith('.crawl'))) {
    const archive = join(folder, crawl, 'archive');
    for (const file of (await readdir(archive).catch(() => [])).filter((name) => name.includes('.warc.gz')))
      for await (const { offset, url } of listWarc(join(archive, file)))
        found.add(`${file.replace(/\.open$/, '')} ${offset} ${url ?? ''}`);
  }
  return found;
}
