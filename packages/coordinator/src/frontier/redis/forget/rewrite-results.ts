import { type PageRecord, WebfarerError } from '@webfarer/protocol';
import { packEdges, unpackEdges } from '@webfarer/protocol/link';
import type { HostMatch } from '@webfarer/protocol/url';
import { readSegment, writeSegment } from '../draining/segment-file.ts';
import { findSegment, readHomes, segmentsIn, withoutPutBack } from '../draining/segments.ts';
import { operationId } from '../../../redis/client/operation.ts';
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
const writtenSeconds = 3_600;

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
  const operation = operationId();
  const [records, written] = [`${key}${c}r`, `${key}${c}y:${operation}`];
  const [isThere, rewritten = null] = await store.run([
    { key, args: ['EXISTS', records] },
    { key, args: ['HGET', `${key}${c}c`, 'rewritten'] },
  ]);
  if (isThere !== 1) return true;
  const [info = null] = await store.run([{ key, args: ['XINFO', 'STREAM', records] }]);
  const last = lastIdIn(replyArray(info) as unknown[]);
  let [count, links] = [0, 0];
  for (let after = '-'; ; ) {
    const [reply = null] = await store.run([
      { key, args: ['XRANGE', records, after, last, 'COUNT', pageSize] },
    ]);
    const page = replyArray(reply) as [string, string[]][];
    const kept = page.map(([id, fields]) => {
      const changed = fieldsWithout(group, id, fields, without);
      links += changed.gone;
      return { key, args: ['XADD', written, id, ...changed.fields] };
    });
    count += kept.length;
    // Of a process that dies here nothing stays.
    if (kept.length > 0) await store.run([...kept, { key, args: ['EXPIRE', written, writtenSeconds] }]);
    if (page.length < pageSize) break;
    after = `(${page.at(-1)?.[0] ?? last}`;
  }
  const args = [c, last, operation, count, typeof rewritten === 'string' ? rewritten : 0, links];
  const answer = await groups.one(group, scripts.replaceRecords, args);
  return answer.kind === 'ok' && Number(answer.values[0]) === 1;
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
  return { fields, gone: after.gone };
}

/** With how many links it has, and how many it had besides. */
function recordWithout(
  before: StreamRecord,
  { match, findMoved }: Without,
): StreamRecord & { links: number; gone: number } {
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
  const [links, gone] = [others.length, edges.length - others.length];
  return { ...before, record: kept ?? before.record, edgesText, links, gone };
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
  for (const segment of segments) {
    const file = await findSegment(context, segment, homes);
    if (file === undefined) throw absent(homes.get(segment.owner)?.machine ?? segment.owner);
    let changed = false;
    const links = { before: 0, after: 0 };
    const pages: StreamRecord[][] = [];
    for await (const { records } of readSegment(file, group)) {
      const others = records.filter(({ host }) => !without.match.host(host));
      const kept = others.map((record) => recordWithout(record, without));
      changed ||=
        kept.length < records.length ||
        kept.some(({ record, gone }, i) => gone > 0 || record !== others[i]?.record);
      // Those of pages that were requeued do not count.
      for (const { links: left, gone } of await withoutPutBack(context, crawl, kept)) {
        links.before += left + gone;
        links.after += left;
      }
      pages.push(kept.map((record) => entryWithout(record)));
    }
    const count = async (...counts: (number | '')[]) =>
      await context.groups.one(group, scripts.countFile, [crawl.c, segment.to, ...counts]);
    await count(links.before, links.after);
    if (changed) await writeSegment(file, pages);
    await count('', '');
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
