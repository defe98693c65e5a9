import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';

/** What a finished crawl left, in a form that two crawls of the same web share. */
export interface FolderContents {
  items: string[];
  /** Index lines without time and place. */
  cdxj: string[];
}

export async function readContents(folder: string): Promise<FolderContents> {
  const items = (await readFile(join(folder, 'items.jsonl'), 'utf8')).split('\n').filter(Boolean).toSorted();
  const index = await readFile(join(folder, 'archive', 'index.cdxj'), 'utf8');
  const cdxj = index.split('\n').filter(Boolean).map(withoutPlace).toSorted();
  return { items, cdxj };
}

function withoutPlace(line: string): string {
  const [key = ''] = line.split(' ', 1);
  const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
  return JSON.stringify([key, fields.url, fields.status, fields.mime, fields.digest]);
}

/** How many lines stand in one list and not in the other, repeats counted. */
export function differences(a: string[], b: string[]): number {
  const count = new Map<string, number>();
  for (const line of a) count.set(line, (count.get(line) ?? 0) + 1);
  for (const line of b) count.set(line, (count.get(line) ?? 0) - 1);
  return [...count.values()].reduce((sum, n) => sum + Math.abs(n), 0);
}

/** The URLs with an outcome, and how many still wait, in a folder nobody works in. */
export async function settledUrls(folder: string): Promise<{ urls: Set<string>; queued: number }> {
  const reader = await readFolder(folder).catch(() => undefined);
  if (!reader) return { urls: new Set(), queued: 0 };
  try {
    const urls = new Set<string>();
    for await (const record of reader.results.records(reader.crawl)) urls.add(record.url);
    return { urls, queued: (await reader.balance()).queued };
  } catch (error) {
    // A folder that has lost its crawl holds no results.
    if (error instanceof WebfarerError && error.code === 'not-found') return { urls: new Set(), queued: 0 };
    throw error;
  } finally {
    await reader.close();
  }
}

/** How many tries each URL was charged. */
export async function attemptsOf(folder: string): Promise<Map<string, number>> {
  const reader = await readFolder(folder);
  try {
    const attempts = new Map<string, number>();
    for await (const { url, attempts: tries } of reader.results.records(reader.crawl))
      attempts.set(url, tries);
    return attempts;
  } finally {
    await reader.close();
  }
}
