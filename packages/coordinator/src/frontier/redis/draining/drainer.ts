import { join } from 'node:path';
import type { Context } from '../context/context.ts';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import type { SegmentRange } from '../context/group-reader.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { readStreamRecord, type StreamRecord } from '../context/record-text.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import { groupTag } from '../../../redis/keys.ts';
import type { SegmentHome } from '../../../results/results.ts';
import { segmentName, writeSegment } from './segment-file.ts';
import { tellHome } from './segments.ts';

/** Who drains, and where to. */
export interface DrainOptions extends SegmentHome {
  /** Names who writes; the same again after a restart in the same folder. */
  owner: string;
  /** How long a claim holds; for proofs that wait for its end. */
  claimMs?: number | undefined;
  /** For proofs: told of each step, where it may wait or end the process. */
  failpoint?: ((step: 'claimed' | 'written' | 'kept') => void | Promise<void>) | undefined;
  /** Negative control for proofs: results leave the store before they are on the disk. */
  unsafeKeepFirst?: boolean | undefined;
}

/** Nobody writes a segment for so long: whoever claimed it is dead, or as good as. */
const usualClaimMs = 60_000;
const pageSize = 200;

/** Moves the results of a group from the store to a file, if there are at least so many; answers how many. */
export type Drainer = (crawl: StoredCrawl, group: number, atLeast: number) => Promise<number>;

/**
 * Claim, write, fsync, keep: a range of results leaves the store in the step that lists its file, and no sooner than
 * that is on the disk. Whoever dies before leaves a claim, which runs out, and then somebody writes the same range.
 */
export function createDrainer(context: Context, options: DrainOptions): Drainer {
  const { owner, folder, machine, failpoint, claimMs = usualClaimMs } = options;
  const told = new Set<string>();

  async function keep(
    { c }: StoredCrawl,
    { group, after, to }: SegmentRange,
    { records, bytes }: { records: number; bytes: number },
  ): Promise<boolean> {
    const { kind } = await context.groups.one(group, scripts.keep, [c, owner, after, to, records, bytes]);
    await failpoint?.('kept');
    return kind === 'ok';
  }

  async function safely(crawl: StoredCrawl, range: SegmentRange, file: string): Promise<number> {
    const isWhole = () => isClaimed(context, crawl, range);
    const written = await writeSegment(file, rangeRecords(context, crawl, range), isWhole);
    if (!written) return 0;
    await failpoint?.('written');
    // Another process may have been faster: with the same results, in a file of the same name elsewhere.
    return (await keep(crawl, range, written)) ? written.records : 0;
  }

  async function unsafely(crawl: StoredCrawl, range: SegmentRange, file: string): Promise<number> {
    const pages: StreamRecord[][] = [];
    for await (const page of rangeRecords(context, crawl, range)) pages.push(page);
    const records = pages.flat().length;
    await keep(crawl, range, { records, bytes: 0 });
    await writeSegment(file, pages);
    await failpoint?.('written');
    return records;
  }

  return async (crawl, group, atLeast) => {
    if (!told.has(crawl.c)) await tellHome(context, crawl, { owner, folder, machine });
    told.add(crawl.c);
    const range = await claim(context, crawl, { group, owner, atLeast, claimMs });
    if (!range) return 0;
    await failpoint?.('claimed');
    const file = join(folder, segmentName(range));
    return await (options.unsafeKeepFirst ? unsafely : safely)(crawl, range, file);
  };
}

async function claim(
  { groups }: Context,
  { c, id }: StoredCrawl,
  { group, owner, atLeast, claimMs }: { group: number; owner: string; atLeast: number; claimMs: number },
): Promise<SegmentRange | undefined> {
  const answer = await groups.one(group, scripts.claim, [c, owner, claimMs, atLeast]);
  if (answer.kind !== 'ok') return undefined;
  const [after, to] = answer.values as [string, string];
  return after === '' ? undefined : { crawl: id, group, after, to };
}

/**
 * Whether the range is still claimed, by whichever process. Results leave the store in the step that ends the claim, so what
 * was read before is all of the range.
 */
async function isClaimed(
  { store }: Context,
  { c }: StoredCrawl,
  { group, after, to }: SegmentRange,
): Promise<boolean> {
  const key = groupTag(group);
  const [claimed = null] = await store.run([{ key, args: ['GET', `${key}${c}x`] }]);
  return typeof claimed === 'string' && claimed.startsWith(`${after} ${to} `);
}

/** Read durably: what a failover could forget must not be in a file. */
async function* rangeRecords(
  { store }: Context,
  { c }: StoredCrawl,
  { group, after, to }: SegmentRange,
): AsyncGenerator<StreamRecord[]> {
  const key = groupTag(group);
  for (let from = after; ; ) {
    const args = ['XRANGE', `${key}${c}r`, `(${from}`, to, 'COUNT', pageSize];
    const [reply = null] = await store.run([{ key, args }]);
    const page = replyArray(reply).map((entry) => readStreamRecord(group, entry));
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    from = page.at(-1)?.id ?? to;
  }
}
