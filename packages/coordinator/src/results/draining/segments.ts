import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import { allGroups, type Context } from '../../frontier/redis/context.ts';
import type { StoredCrawl } from '../../frontier/redis/crawl-registry.ts';
import { replyArray } from '../../frontier/redis/group-runner.ts';
import { groupTag, storeTag } from '../../redis/keys.ts';
import type { StreamRecord } from '../../frontier/redis/record-text.ts';
import { scripts } from '../../redis/client/scripts.ts';
import { readSegment, type SegmentRange, segmentName } from './segment-file.ts';

/** A segment as the store lists it. */
export interface Segment extends SegmentRange {
  /** Who wrote it. */
  owner: string;
  records: number;
  bytes: number;
}

/** Where one of those who write segments has them. */
export interface SegmentHome {
  folder: string;
  machine: string;
}

/** Segments that are not at hand, by who has them. */
export interface AbsentSegments extends Partial<SegmentHome> {
  owner: string;
  segments: number;
  records: number;
}

/** All that the store lists of a crawl's segments. */
export interface KeptResults {
  segments: number;
  records: number;
  bytes: number;
  absent: AbsentSegments[];
}

/** The segments of a group, oldest first, and whether some of their records were put back into the queue. */
export async function segmentsIn(
  { store }: Context,
  { c, id }: StoredCrawl,
  group: number,
): Promise<{ segments: Segment[]; putBack: boolean }> {
  const key = groupTag(group);
  const [list = null, back = null] = await store.run([
    { key, args: ['LRANGE', `${key}${c}f`, 0, -1] },
    { key, args: ['EXISTS', `${key}${c}d`] },
  ]);
  const segments = (replyArray(list) as string[]).map((words) => readWords(words, id, group));
  return { segments, putBack: back === 1 };
}

function readWords(words: string, crawl: CrawlId, group: number): Segment {
  const [after = '', to = '', owner = '', records, bytes] = words.split(' ');
  return { crawl, group, after, to, owner, records: Number(records), bytes: Number(bytes) };
}

/** Writes down where this process puts its segments, for those who look for them. */
export async function tellHome(
  { store }: Context,
  { c }: StoredCrawl,
  { owner, ...home }: SegmentHome & { owner: string },
): Promise<void> {
  const args = [c, owner, JSON.stringify(home)];
  const [reply = null] = await store.run([{ key: storeTag, script: scripts.home, args }]);
  if (reply === 'GONE') throw new WebfarerError('not-found', 'the crawl was deleted');
  if (reply !== 'OK') replyArray(reply);
}

export async function readHomes({ store }: Context, { c }: StoredCrawl): Promise<Map<string, SegmentHome>> {
  const [reply = null] = await store.run([{ key: storeTag, args: ['HGETALL', `${storeTag}${c}s`] }]);
  const flat = replyArray(reply) as string[];
  const homes = new Map<string, SegmentHome>();
  for (let i = 0; i < flat.length; i += 2)
    homes.set(flat[i] ?? '', JSON.parse(flat[i + 1] ?? '') as SegmentHome);
  return homes;
}

/** The file of a segment: in the folders that were named, or where its owner put it if that is within reach. */
export async function findSegment(
  { folders }: Context,
  segment: Segment,
  homes: ReadonlyMap<string, SegmentHome>,
): Promise<string | undefined> {
  const home = homes.get(segment.owner)?.folder;
  for (const folder of home === undefined ? folders : [...folders, home]) {
    const file = join(folder, segmentName(segment));
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** The results of a segment, without those that were put back into the queue. */
export async function* segmentRecords(
  context: Context,
  crawl: StoredCrawl,
  { file, group, putBack }: { file: string; group: number; putBack: boolean },
): AsyncGenerator<StreamRecord[]> {
  try {
    for await (const page of readSegment(file, group))
      yield putBack ? await withoutPutBack(context, crawl, page) : page;
  } catch (error) {
    if (error instanceof WebfarerError) throw error;
    throw new WebfarerError('storage', `${file} cannot be read: ${(error as Error).message}`, {
      next: 'Copy it anew from where it was written, or take it away: then its results are left out, with a note.',
      cause: error,
    });
  }
}

async function withoutPutBack(
  { store }: Context,
  { c }: StoredCrawl,
  page: StreamRecord[],
): Promise<StreamRecord[]> {
  const key = groupTag(page[0]?.group ?? 0);
  const [reply = null] = await store.run([
    { key, args: ['SMISMEMBER', `${key}${c}d`, ...page.map(({ id }) => id)] },
  ]);
  const gone = replyArray(reply);
  return page.filter((_, i) => gone[i] === 0);
}

/** What the store lists of a crawl's segments, and which of them are not at hand. */
export async function keptResults(context: Context, id: CrawlId): Promise<KeptResults> {
  const crawl = await context.crawls.get(id);
  const homes = await readHomes(context, crawl);
  const kept: KeptResults = { segments: 0, records: 0, bytes: 0, absent: [] };
  const absent = new Map<string, AbsentSegments>();
  const lists = await Promise.all(allGroups(context).map((group) => segmentsIn(context, crawl, group)));
  for (const segment of lists.flatMap(({ segments }) => segments)) {
    kept.segments++;
    kept.records += segment.records;
    kept.bytes += segment.bytes;
    if (await findSegment(context, segment, homes)) continue;
    const { owner } = segment;
    const there = absent.get(owner) ?? { owner, segments: 0, records: 0, ...homes.get(owner) };
    there.segments++;
    there.records += segment.records;
    absent.set(owner, there);
  }
  return { ...kept, absent: [...absent.values()] };
}

/** In words, one line for each who has some. */
export function absentWords(absent: AbsentSegments[]): string[] {
  return absent.map(({ records, segments, folder, machine, owner }) => {
    const place = folder === undefined ? `with ${owner}` : `in ${folder} on ${machine}`;
    const [results, files] = [records, segments].map((count) => count.toLocaleString('en-US'));
    return `${results} results lie in ${files} ${segments === 1 ? 'file' : 'files'} ${place}`;
  });
}

export const bringSegments =
  'Copy that folder here and name it with --segments DIR, or run the command where it is.';

export function notAtHand(absent: AbsentSegments[]): WebfarerError {
  return new WebfarerError('not-found', `not among the results here; ${absentWords(absent).join('; ')}`, {
    next: bringSegments,
  });
}
