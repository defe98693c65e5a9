import type { Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { Context } from '../../frontier/redis/context.ts';
import type { StoredCrawl } from '../../frontier/redis/crawl-registry.ts';
import { replyArray } from '../../frontier/redis/group-runner.ts';
import { groupTag } from '../../redis/keys.ts';
import { readStreamRecord, type StreamRecord } from '../../frontier/redis/record-text.ts';
import { findSegment, readHomes, segmentRecords, segmentsIn } from './segments.ts';

const pageSize = 500;

/**
 * Records of one group in the order they were settled, page by page: first from the files that they were drained to,
 * then from the stream. What is drained while it is read is read from its file. Files that are not at hand are left
 * out; `keptResults` tells of them.
 */
export async function* groupRecords(
  context: Context,
  crawl: StoredCrawl,
  group: number,
): AsyncGenerator<StreamRecord[]> {
  for (let after = '0-0'; ; ) {
    const page = await streamRecords(context, crawl, { group, after, count: pageSize });
    // Asked after the page was read: where no file goes further, it is whole.
    const { segments, putBack } = await segmentsIn(context, crawl, group);
    const drained = segments.filter(({ to }) => isBehind(to, after));
    if (drained.length === 0) {
      if (page.length > 0) yield page;
      if (page.length < pageSize) return;
      after = page.at(-1)?.id ?? after;
      continue;
    }
    const homes = await readHomes(context, crawl);
    for (const segment of drained) {
      const file = await findSegment(context, segment, homes);
      if (file !== undefined)
        yield* recordsBehind(after, segmentRecords(context, crawl, { file, group, putBack }));
      after = segment.to;
    }
  }
}

/** Some of a file may have been read when it was in the stream. */
async function* recordsBehind(
  after: string,
  pages: AsyncIterable<StreamRecord[]>,
): AsyncGenerator<StreamRecord[]> {
  for await (const page of pages) {
    const fresh = page.filter(({ id }) => isBehind(id, after));
    if (fresh.length > 0) yield fresh;
  }
}

/** What the stream of a group has behind an id, up to another. */
export async function streamRecords(
  { store }: Context,
  { c }: StoredCrawl,
  { group, after, to = '+', count }: { group: number; after: string; to?: string; count: number },
): Promise<StreamRecord[]> {
  const key = groupTag(group);
  const args = ['XRANGE', `${key}${c}r`, `(${after}`, to, 'COUNT', count];
  const [reply = null] = await store.run([{ key, args }]);
  return replyArray(reply).map((entry) => readStreamRecord(group, entry));
}

/** The record of one URL: all of its group is read through, a question people ask. */
export async function findRecord(
  context: Context,
  crawl: StoredCrawl,
  url: Url,
): Promise<StreamRecord | undefined> {
  const { group } = context.placeOf(hostOf(url));
  let found: StreamRecord | undefined;
  for await (const page of groupRecords(context, crawl, group)) {
    found = page.findLast(({ record }) => record.url === url) ?? found;
  }
  return found;
}

/** Ids are `ms-n`: whether one comes after another. */
export function isBehind(id: string, other: string): boolean {
  const [ms = 0, n = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherN = 0] = other.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && n > otherN);
}
