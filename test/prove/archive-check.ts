import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { listWarc } from '@webfarer/worker/archive';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { checkIndexLines } from './index-lines.ts';

/** What is wrong with the archive of a crawl; every list is empty, and `orphans` not negative, where all is well. */
export interface ArchiveFindings {
  indexLines: number;
  /** Lines whose place does not hold a capture of their URL with their digest. */
  wrongLines: string[];
  /** Results of the crawl that have an answer, but no line in the index with their place and digest. */
  unindexed: string[];
  /** Lines of captures that refer to an earlier one which the index does not hold. */
  dangling: string[];
  /** Captures in the files beyond those in the index: a crash took their outcome away. */
  orphans: number;
  /** Files that cannot be read to their end. */
  unreadable: string[];
}

interface Line {
  url: string;
  digest?: string;
  mime: string;
  offset: string;
  filename: string;
}

/** Compares records, index and files of a crawl in a folder with each other, each in both directions. */
export async function checkArchive(folder: string): Promise<ArchiveFindings> {
  const { lines: indexLines, wrong: wrongLines } = checkIndexLines(folder);
  const lines = await readIndex(folder);
  const places = new Set(
    lines.map(({ filename, offset, url, digest }) => `${filename}@${offset} ${url} ${digest}`),
  );
  const bodies = new Set(lines.filter(({ mime }) => mime !== 'warc/revisit').map(({ digest }) => digest));
  const dangling = lines.filter(({ mime, digest }) => mime === 'warc/revisit' && !bodies.has(digest));
  const { captures, unreadable } = await capturesIn(folder);
  return {
    indexLines,
    wrongLines,
    unindexed: await unindexedIn(folder, places),
    dangling: dangling.map(({ url, digest }) => `${url}: nothing with ${digest}`),
    orphans: captures - new Set(lines.map(({ filename, offset }) => `${filename}@${offset}`)).size,
    unreadable,
  };
}

export function isWhole({ indexLines, orphans, ...found }: ArchiveFindings): boolean {
  return indexLines > 0 && orphans >= 0 && Object.values(found).every((list) => list.length === 0);
}

async function readIndex(folder: string): Promise<Line[]> {
  const text = await readFile(join(folder, 'archive', 'index.cdxj'), 'utf8');
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Line);
}

async function unindexedIn(folder: string, places: ReadonlySet<string>): Promise<string[]> {
  const reader = await readFolder(folder);
  const missing: string[] = [];
  try {
    for await (const record of reader.results.records(reader.crawl))
      if (record.verdict === 'done' && !isIndexed(record, places)) missing.push(record.url);
  } finally {
    await reader.close();
  }
  return missing;
}

function isIndexed({ url, digest, saved = [] }: PageRecord, places: ReadonlySet<string>): boolean {
  return saved.some(({ file, offset }) => places.has(`${basename(file)}@${offset} ${url} ${digest}`));
}

async function capturesIn(folder: string): Promise<{ captures: number; unreadable: string[] }> {
  let captures = 0;
  const unreadable: string[] = [];
  for (const name of await readdir(join(folder, 'archive'))) {
    if (!name.includes('.warc.gz')) continue;
    try {
      for await (const { type } of listWarc(join(folder, 'archive', name)))
        if (type === 'response' || type === 'revisit') captures++;
    } catch (error) {
      unreadable.push(`${name}: ${String(error)}`);
    }
  }
  return { captures, unreadable };
}
