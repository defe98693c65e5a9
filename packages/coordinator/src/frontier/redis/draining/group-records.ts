import { stat } from 'node:fs/promises';
import { WebfarerError } from '@webfarer/protocol';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import type { FilePart, GroupPlace, GroupReader, Segment, StreamPart } from '../context/group-reader.ts';
import type { GroupRunner } from '../../../redis/group-runner.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { readStreamRecord, type StreamRecord } from '../context/record-text.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import { groupTag } from '../../../redis/keys.ts';
import type { SegmentHome } from '../../../results/results.ts';
import { firstLine, type LinePlace, readSegment } from './segment-file.ts';
import { findSegment, readHomes, type ResultPlaces, segmentsIn, withoutPutBack } from './segments.ts';

/** Before the first result of a group. */
export const start = '0-0';

const pageSize = 500;
/** Remembered: how far readers have come in files, and lists of files. Forgotten, they are read again. */
const remembered = 4_096;

/** How far a file has been read: behind this result a line begins. */
interface Mark {
  after: string;
  line: LinePlace;
}

export function groupReader(context: ResultPlaces & { groups: GroupRunner }): GroupReader {
  /** Two for each file: whoever was given a part of it may take less than all of that. */
  const marks = new Map<string, Mark[]>();
  const lists = new Map<string, Segment[]>();
  const homesOf = new Map<string, ReadonlyMap<string, SegmentHome>>();

  async function stream({ c }: StoredCrawl, places: GroupPlace[], count: number): Promise<StreamPart[]> {
    // Durably: a reader must not see what a failover could forget.
    const pages = await context.store.run(
      places.map(({ group, after }) => {
        const key = groupTag(group);
        return { key, args: ['XRANGE', `${key}${c}r`, `(${after}`, '+', 'COUNT', count] };
      }),
    );
    // Asked after the pages were read: where no file goes further, they are whole.
    const files = await context.store.run(
      places.flatMap(({ group }) => {
        const key = groupTag(group);
        return [
          { key, args: ['LINDEX', `${key}${c}f`, -1] },
          { key, args: ['EXISTS', `${key}${c}d`] },
        ];
      }),
    );
    return places.map(({ group, after }, n) => {
      const [last = null, putBack] = files.slice(2 * n, 2 * n + 2);
      if (last !== null && typeof last !== 'string') replyArray(last);
      const [, filesTo = start] = typeof last === 'string' ? last.split(' ') : [];
      const page = replyArray(pages[n] ?? null);
      const records = isBehind(filesTo, after) ? [] : page.map((entry) => readStreamRecord(group, entry));
      return { records, filesTo, putBack: putBack === 1 };
    });
  }

  async function tips({ c }: StoredCrawl, groups: number[]): Promise<string[]> {
    const replies = await context.store.run(
      groups.flatMap((group) => {
        const key = groupTag(group);
        return [
          { key, args: ['XREVRANGE', `${key}${c}r`, '+', '-', 'COUNT', 1] },
          { key, args: ['LINDEX', `${key}${c}f`, -1] },
        ];
      }),
    );
    return groups.map((_, n) => {
      const [streamed = null, filed = null] = replies.slice(2 * n, 2 * n + 2);
      const [last] = replyArray(streamed) as [string, unknown][];
      if (filed !== null && typeof filed !== 'string') replyArray(filed);
      const [, filesTo = start] = typeof filed === 'string' ? filed.split(' ') : [];
      return last && isBehind(last[0], filesTo) ? last[0] : filesTo;
    });
  }

  async function hasLost(crawl: StoredCrawl, places: GroupPlace[]): Promise<boolean> {
    const calls = places.map(({ group, after }) => ({
      group,
      script: scripts.resultFate,
      args: [crawl.c, after],
    }));
    const fates = (await context.groups.run(calls)).map((answer) =>
      answer.kind === 'ok' ? answer.values[0] : '',
    );
    if (fates.includes('lost')) return true;
    for (const [n, place] of places.entries())
      if (fates[n] === 'file' && (await files(crawl, place, false)).unmet) return true;
    return false;
  }

  /** The list only grows, as long as the store does not go back in time. */
  async function segmentBehind(
    crawl: StoredCrawl,
    { group, after }: GroupPlace,
  ): Promise<Segment | undefined> {
    const name = `${context.store.epoch()} ${crawl.nonce} ${group}`;
    const known = lists.get(name) ?? [];
    const isNext = ({ to }: Segment) => isBehind(to, after);
    const found = known.find(isNext);
    if (found) return found;
    const all = [...known, ...(await segmentsIn(context, crawl, { group, from: known.length }))];
    remember(lists, name, all);
    return all.find(isNext);
  }

  async function files(crawl: StoredCrawl, place: GroupPlace, putBack: boolean): Promise<FilePart> {
    const segment = await segmentBehind(crawl, place);
    // The place is where the files end.
    if (!segment) return { records: [], to: place.after, unmet: false };
    const found = await locate(crawl, segment);
    if (typeof found !== 'string')
      return { records: [], to: segment.to, absent: { segment, homes: found }, unmet: false };
    try {
      return await readPart(crawl, place, { file: found, segment, putBack });
    } catch (error) {
      throw unreadable(found, error);
    }
  }

  /** The file, or where files are said to be. */
  async function locate(
    crawl: StoredCrawl,
    segment: Segment,
  ): Promise<string | ReadonlyMap<string, SegmentHome>> {
    const near = await findSegment(context, segment, new Map());
    if (near !== undefined) return near;
    const known = homesOf.get(crawl.nonce);
    const found = known && (await findSegment(context, segment, known));
    if (found !== undefined) return found;
    const homes = await readHomes(context, crawl);
    remember(homesOf, crawl.nonce, homes);
    return (await findSegment(context, segment, homes)) ?? homes;
  }

  async function readPart(
    crawl: StoredCrawl,
    { group, after }: GroupPlace,
    { file, segment, putBack }: { file: string; segment: Segment; putBack: boolean },
  ): Promise<FilePart> {
    // A file that was written anew has its lines elsewhere.
    const { ino, size, mtimeMs } = await stat(file);
    const name = `${context.store.epoch()} ${file} ${ino} ${size} ${mtimeMs}`;
    const mark = (marks.get(name) ?? []).findLast((one) => !isBehind(one.after, after));
    let met = mark !== undefined || after === segment.after;
    let before = mark?.after ?? segment.after;
    for await (const { records, begin, next } of readSegment(file, group, mark?.line ?? firstLine)) {
      const last = records.at(-1)?.id ?? before;
      met ||= records.some(({ id }) => id === after);
      if (isBehind(last, after)) {
        remember(marks, name, [
          { after: before, line: begin },
          { after: last, line: next },
        ]);
        const fresh = records.filter(({ id }) => isBehind(id, after));
        const left = putBack ? await withoutPutBack(context, crawl, fresh) : fresh;
        return { records: left, to: last, unmet: !met };
      }
      before = last;
    }
    return { records: [], to: segment.to, unmet: !met };
  }

  async function* all(crawl: StoredCrawl, from: GroupPlace): AsyncGenerator<StreamRecord[]> {
    const { group } = from;
    for (let { after } = from; ; ) {
      const [part] = await stream(crawl, [{ group, after }], pageSize);
      if (part && isBehind(part.filesTo, after)) {
        while (isBehind(part.filesTo, after)) {
          const { records, to } = await files(crawl, { group, after }, part.putBack);
          if (records.length > 0) yield records;
          if (to === after) return;
          after = to;
        }
        continue;
      }
      if (!part || part.records.length === 0) return;
      yield part.records;
      if (part.records.length < pageSize) return;
      after = part.records.at(-1)?.id ?? after;
    }
  }

  return { stream, tips, hasLost, files, all };
}

function remember<T>(known: Map<string, T>, name: string, value: T): void {
  if (known.size >= remembered && !known.has(name)) known.clear();
  known.set(name, value);
}

function unreadable(file: string, error: unknown): WebfarerError {
  if (error instanceof WebfarerError) return error;
  return new WebfarerError('storage', `${file} cannot be read: ${(error as Error).message}`, {
    next: 'Copy it again from where it was written. Or remove it: its results are then left out, with a note.',
    cause: error,
  });
}

/** Ids are `ms-n`: whether one comes after another. */
export function isBehind(id: string, other: string): boolean {
  const [ms = 0, n = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherN = 0] = other.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && n > otherN);
}
