import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import type { Segment } from '../context/group-reader.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { groupTag, storeTag } from '../../../redis/keys.ts';
import type { StreamRecord } from '../context/record-text.ts';
import type { RedisStore } from '../../../redis/store.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { AbsentSegments, SegmentHome } from '../../../results/results.ts';
import { segmentName } from './segment-file.ts';

/** Where results are: the store that lists them, and the folders in which their files are looked for. */
export interface ResultPlaces {
  store: RedisStore;
  folders: readonly string[];
}

/** The segments of a group, oldest first, from a place in their list. */
export async function segmentsIn(
  { store }: ResultPlaces,
  { c, id }: StoredCrawl,
  { group, from = 0 }: { group: number; from?: number },
): Promise<Segment[]> {
  const key = groupTag(group);
  const [list = null] = await store.run([{ key, args: ['LRANGE', `${key}${c}f`, from, -1] }]);
  return (replyArray(list) as string[]).map((words) => readWords(words, id, group));
}

function readWords(words: string, crawl: CrawlId, group: number): Segment {
  const [after = '', to = '', owner = '', records, bytes] = words.split(' ');
  return { crawl, group, after, to, owner, records: Number(records), bytes: Number(bytes) };
}

/** Writes down where this process puts its segments, for those who look for them. */
export async function tellHome(
  { store }: ResultPlaces,
  { c }: StoredCrawl,
  { owner, ...home }: SegmentHome & { owner: string },
): Promise<void> {
  const args = [c, owner, JSON.stringify(home), 's'];
  const [reply = null] = await store.run([{ key: storeTag, script: scripts.home, args }]);
  if (reply === 'GONE') throw new WebfarerError('not-found', 'the crawl was deleted');
  if (reply !== 'OK') replyArray(reply);
}

export async function readHomes(
  { store }: ResultPlaces,
  { c }: StoredCrawl,
): Promise<Map<string, SegmentHome>> {
  const [reply = null] = await store.run([{ key: storeTag, args: ['HGETALL', `${storeTag}${c}s`] }]);
  const flat = replyArray(reply) as string[];
  const homes = new Map<string, SegmentHome>();
  for (let i = 0; i < flat.length; i += 2)
    homes.set(flat[i] ?? '', JSON.parse(flat[i + 1] ?? '') as SegmentHome);
  return homes;
}

/** The file of a segment: in the folders that were named, or where its owner put it if that is within reach. */
export async function findSegment(
  { folders }: ResultPlaces,
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

/** Results of a file without those that were requeued. */
export async function withoutPutBack<R extends StreamRecord>(
  { store }: ResultPlaces,
  { c }: StoredCrawl,
  records: R[],
): Promise<R[]> {
  if (records.length === 0) return records;
  const key = groupTag(records[0]?.group ?? 0);
  const [reply = null] = await store.run([
    { key, args: ['SMISMEMBER', `${key}${c}d`, ...records.map(({ id }) => id)] },
  ]);
  const gone = replyArray(reply);
  return records.filter((_, i) => gone[i] === 0);
}

export function countAbsent(
  absent: Map<string, AbsentSegments>,
  { owner, records }: Segment,
  homes: ReadonlyMap<string, SegmentHome>,
): void {
  const there = absent.get(owner) ?? { owner, segments: 0, records: 0, ...homes.get(owner) };
  there.segments++;
  there.records += records;
  absent.set(owner, there);
}
