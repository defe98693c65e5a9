import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import type { Place, ResultEntry, ResultsCursor } from './results.ts';

/** A place in all groups. Groups that are not listed have not been begun. */
export interface Places {
  /** The crawl as it was registered: its nonce. */
  history: string;
  /** Eight characters with which the store recognizes that it had come to these places: base64url. */
  mark: string;
  /** The group that is read next. */
  next: number;
  groups: Map<number, Place>;
}

/**
 * Version, history and the places as variable-length numbers, in base64url. Numbers are written as the distance from the
 * largest, so a group takes three to five bytes, and a cursor that has moved in all 1,024 groups at most about 8 KB.
 */
const version = 1;
const historyBytes = 8;
const markBytes = 6;
const headBytes = 1 + historyBytes + markBytes;
/** For a store that recognizes places by themselves. */
export const noMark = 'AAAAAAAA';
/** No store has more groups; with this many listed, a bit for each is shorter than their numbers. */
const mostGroups = 1_024;
const mapFrom = mostGroups / 8;

export function encodeCursor({ history, ...places }: Places): ResultsCursor {
  return written(places, digest(history));
}

function written({ mark, next, groups }: Omit<Places, 'history'>, historyDigest: Buffer): ResultsCursor {
  const listed = [...groups].toSorted(([a], [b]) => a - b);
  const top = listed.reduce((most, [, { major }]) => Math.max(most, major), 0);
  const numbers = [next, listed.length, top];
  const bytes = [version, ...historyDigest, ...Buffer.from(mark, 'base64url')];
  if (listed.length < mapFrom) numbers.push(...listed.map(([group]) => group));
  for (const number of numbers) put(bytes, number);
  if (listed.length >= mapFrom) bytes.push(...bitsOf(listed));
  for (const [, { major, minor }] of listed) {
    put(bytes, (top - major) * 2 + (minor > 0 ? 1 : 0));
    if (minor > 0) put(bytes, minor);
  }
  return Buffer.from(bytes).toString('base64url') as ResultsCursor;
}

/** Where a cursor stands. Throws where it is none, or not of this history. */
export function decodeCursor(cursor: ResultsCursor, history: string): Places {
  const bytes = bytesOf(cursor);
  if (!bytes.subarray(1, 1 + historyBytes).equals(digest(history)))
    throw staleCursor('it was made for another crawl, or for one of this name that was erased since');
  return { history, ...placesIn(bytes) };
}

function bytesOf(cursor: ResultsCursor): Buffer {
  const bytes = /^[\w-]{12,16384}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
  if (bytes.length < headBytes + 3 || bytes[0] !== version) throw malformed();
  return bytes;
}

function placesIn(bytes: Buffer): Omit<Places, 'history'> {
  const read = numbersOf(bytes, headBytes);
  const [next, count, top] = [read.number(), read.number(), read.number()];
  if (count > mostGroups || next >= mostGroups) throw malformed();
  const listed =
    count < mapFrom ? Array.from({ length: count }, read.number) : groupsIn(read.take(mostGroups / 8));
  if (listed.length !== count || listed.some((group) => group >= mostGroups)) throw malformed();
  const groups = new Map<number, Place>();
  for (const group of listed) {
    const value = read.number();
    const place = { major: top - Math.floor(value / 2), minor: value % 2 === 1 ? read.number() : 0 };
    if (place.major < 0) throw malformed();
    groups.set(group, place);
  }
  if (!read.isAtEnd() || groups.size !== count) throw malformed();
  const mark = bytes.toString('base64url', 1 + historyBytes, headBytes);
  return { mark, next, groups };
}

/** Whether a reader that has come to `at` has seen what stands at a place of the same group. */
export function hasSeen(at: Place | undefined, place: Place): boolean {
  return (
    at !== undefined && (place.major < at.major || (place.major === at.major && place.minor <= at.minor))
  );
}

/** The place that a cursor has in each group, whatever crawl it is of. */
export function groupPlaces(cursor: ResultsCursor): ReadonlyMap<number, Place> {
  return placesIn(bytesOf(cursor)).groups;
}

/** In each group the later place of two cursors of one crawl. */
export function laterCursor(one: ResultsCursor, other: ResultsCursor): ResultsCursor {
  if (one === other) return one;
  const [bytes, others] = [bytesOf(one), bytesOf(other)];
  if (!bytes.subarray(1, 1 + historyBytes).equals(others.subarray(1, 1 + historyBytes)))
    throw staleCursor('it was made for another crawl, or for one of this name that was erased since');
  const [a, b] = [placesIn(bytes), placesIn(others)];
  const groups = new Map(a.groups);
  let { mark } = a;
  for (const [group, place] of b.groups) {
    if (hasSeen(groups.get(group), place)) continue;
    groups.set(group, place);
    // Only a store with one group has marks.
    ({ mark } = b);
  }
  return written({ mark, next: b.next, groups }, bytes.subarray(1, 1 + historyBytes));
}

/** Cursors behind single outcomes of a page that began at these places. */
export function cursorsWithin(
  places: Places,
  entries: readonly ResultEntry[],
  markOf: (place: Place) => string,
): (index: number) => ResultsCursor {
  let [groups, passed] = [new Map(places.groups), 0];
  return (index) => {
    if (index < passed - 1) [groups, passed] = [new Map(places.groups), 0];
    for (; passed <= index; passed++) {
      const { group, place } = entries[passed] as ResultEntry;
      groups.set(group, place);
    }
    const { place } = entries[index] as ResultEntry;
    return encodeCursor({ ...places, mark: markOf(place), groups });
  };
}

/** A cursor that stands where nothing can be read from any more. */
export function staleCursor(why: string): WebfarerError {
  return new WebfarerError('cursor-stale', `this cursor cannot be resumed: ${why}`, {
    next: 'Read the results again from the start, without a cursor.',
  });
}

function malformed(): WebfarerError {
  return new WebfarerError('usage', 'this is not a cursor of results', {
    next: 'Pass a cursor exactly as an earlier page gave it, or none to read from the start.',
  });
}

function digest(history: string): Buffer {
  return createHash('sha256').update(history).digest().subarray(0, historyBytes);
}

/** Seven bits a byte, the lowest first; by division, because times have more than 32 bits. */
function put(bytes: number[], number: number): void {
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function numbersOf(bytes: Buffer, start: number) {
  let at = start;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    take,
    number(): number {
      let [number, scale] = [0, 1];
      for (let more = true; more; scale *= 128) {
        const byte = take(1)[0] as number;
        number += (byte % 128) * scale;
        more = byte >= 128;
        if (number > Number.MAX_SAFE_INTEGER) throw malformed();
      }
      return number;
    },
    isAtEnd: () => at === bytes.length,
  };
}

function bitsOf(listed: [number, Place][]): Uint8Array {
  const bits = new Uint8Array(mostGroups / 8);
  for (const [group] of listed) bits[group >> 3] = (bits[group >> 3] ?? 0) | (1 << (group & 7));
  return bits;
}

function groupsIn(bits: Uint8Array): number[] {
  return Array.from({ length: mostGroups }, (_, group) => group).filter(
    (group) => ((bits[group >> 3] ?? 0) & (1 << (group & 7))) !== 0,
  );
}
