import { type PageRecord, WebfarerError } from '@webfarer/protocol';
import { packEdges, unpackEdges } from '@webfarer/protocol/link';
import type { HostMatch } from '@webfarer/protocol/url';
import { readSegment, writeSegment } from '../draining/segment-file.ts';
import { findSegment, readHomes, segmentsIn } from '../draining/segments.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import { groupTag } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { type FindMoved, linksWithout, withoutHosts } from '../../forgetting.ts';
import type { Context } from '../context/context.ts';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import { readStreamRecord, recordText, type StreamRecord } from '../context/record-text.ts';
import { withoutReferrer } from './rewrite-queues.ts';

interface Without {
  match: HostMatch;
  findMoved: FindMoved;
}

const pageSize = 200;
/** Results that came in while a stream was read are read again. */
const tries = 5;

/** Writes the records of a group anew without what names forgotten hosts, in the store and in files. */
export async function rewriteResults(
  context: Context,
  crawl: StoredCrawl,
  group: number,
  without: Without,
): Promise<void> {
  await rewriteFiles(context, crawl, group, without);
  for (let n = 0; n < tries; n++) if (await rewriteStream(context, crawl, group, without)) return;
  throw new WebfarerError('conflict', 'results keep coming in while a host is being deleted', {
    next: 'Stop the crawl at all coordinators, then run the same command again.',
  });
}

/** A stream marks what is deleted and keeps its bytes: the whole is copied, and put in its place. */
async function rewriteStream(
  { store, groups }: Context,
  { c }: StoredCrawl,
  group: number,
  without: Without,
): Promise<boolean> {
  const key = groupTag(group);
  const [records, written, sums] = [`${key}${c}r`, `${key}${c}y`, `${key}${c}c`];
  const [isThere] = await store.run([{ key, args: ['EXISTS', records] }]);
  if (isThere !== 1) return true;
  const [info = null] = await store.run([{ key, args: ['XINFO', 'STREAM', records] }]);
  const last = lastIdIn(replyArray(info) as unknown[]);
  await store.run([{ key, args: ['DEL', written] }]);
  let links = 0;
  for (let after = '-'; ; ) {
    const [reply = null] = await store.run([
      { key, args: ['XRANGE', records, after, last, 'COUNT', pageSize] },
    ]);
    const page = replyArray(reply) as [string, string[]][];
    const kept = page.map(([id, fields]) => {
      const changed = fieldsWithout(group, id, fields, without);
      links += changed.links;
      return { key, args: ['XADD', written, id, ...changed.fields] };
    });
    if (kept.length > 0) await store.run(kept);
    if (page.length < pageSize) break;
    after = `(${page.at(-1)?.[0] ?? last}`;
  }
  const answer = await groups.one(group, scripts.replaceRecords, [c, last]);
  if (answer.kind !== 'ok' || Number(answer.values[0]) !== 1) return false;
  if (links > 0) await store.run([{ key, args: ['HINCRBY', sums, 'edges', -links] }]);
  return true;
}

function lastIdIn(info: unknown[]): string {
  return String(info[info.indexOf('last-generated-id') + 1]);
}

// oxlint-disable-next-line max-params -- called for every record
function fieldsWithout(group: number, id: string, flat: string[], without: Without) {
  const before = readStreamRecord(group, [id, flat]);
  const after = recordWithout(before, without);
  const fields = [...flat];
  const set = (name: string, value: string) => {
    const at = fields.findIndex((field, i) => i % 2 === 0 && field === name);
    if (at < 0) return;
    if (value === '') fields.splice(at, 2);
    else fields[at + 1] = value;
  };
  if (after.record !== before.record) set('d', recordText(after.record));
  if (after.edgesText !== before.edgesText) set('e', after.edgesText);
  if (before.record.referrer !== undefined && after.record.referrer === undefined) {
    const q = fields[fields.indexOf('q') + 1] ?? '';
    const [host = '', text = '', tail = ''] = q.split('\n');
    set('q', `${host}\n${text}\n${withoutReferrer(tail)}`);
  }
  return { fields, links: after.links };
}

/** The same object where nothing changes. */
function recordWithout(
  before: StreamRecord,
  { match, findMoved }: Without,
): StreamRecord & { links: number } {
  const kept: PageRecord | undefined = withoutHosts(before.record, match, findMoved);
  const edges =
    before.edgesText === '' ? [] : unpackEdges(before.record.url, Buffer.from(before.edgesText, 'base64'));
  const others = linksWithout(edges, match);
  const edgesText =
    others === edges
      ? before.edgesText
      : others.length === 0
        ? ''
        : Buffer.from(packEdges(before.record.url, others)).toString('base64');
  return { ...before, record: kept ?? before.record, edgesText, links: edges.length - others.length };
}

/** Files of results that this process can reach; another one must do the same with the others. */
async function rewriteFiles(
  context: Context,
  crawl: StoredCrawl,
  group: number,
  without: Without,
): Promise<void> {
  const segments = await segmentsIn(context, crawl, { group });
  if (segments.length === 0) return;
  const homes = await readHomes(context, crawl);
  const key = groupTag(group);
  for (const segment of segments) {
    const file = await findSegment(context, segment, homes);
    if (file === undefined) throw absent(homes.get(segment.owner)?.machine ?? segment.owner);
    let [changed, links] = [false, 0];
    const pages: StreamRecord[][] = [];
    for await (const { records } of readSegment(file, group)) {
      const kept = records
        .filter(({ host }) => !without.match.host(host))
        .map((record) => recordWithout(record, without));
      links += kept.reduce((sum, record) => sum + record.links, 0);
      changed ||=
        kept.length < records.length || kept.some((record, i) => record.record !== records[i]?.record);
      pages.push(kept.map((record) => entryWithout(record)));
    }
    if (changed || links > 0) await writeSegment(file, pages);
    if (links > 0)
      await context.store.run([{ key, args: ['HINCRBY', `${key}${crawl.c}c`, 'edges', -links] }]);
  }
}

/** The entry as it was queued, without the page it was found on where the record has none. */
function entryWithout(record: StreamRecord): StreamRecord {
  if (record.record.referrer !== undefined) return record;
  const [text = '', tail = ''] = record.entry.split('\n');
  return { ...record, entry: `${text}\n${withoutReferrer(tail)}` };
}

function absent(machine: string): WebfarerError {
  return new WebfarerError(
    'incomplete',
    `results of this crawl are in files of ${machine}, which cannot be reached from here`,
    {
      next: 'Run the same command again at the coordinator that has them, or copy them here and name the folder with --segments.',
    },
  );
}
