import type { CrawlId, Edge, PageRecord, Url } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { RecordFilter, Results } from '../frontier.ts';
import { linksTo } from '../links-to.ts';
import { allGroups, type Context } from './context.ts';
import { findRecord, groupRecords } from '../../results/draining/group-records.ts';
import type { StreamRecord } from './record-text.ts';

export function matches({ host, record }: StreamRecord, filter: RecordFilter): boolean {
  const { verdict, reason, status } = filter;
  if (verdict !== undefined && record.verdict !== verdict) return false;
  if (reason !== undefined && record.reason !== reason) return false;
  if (filter.host !== undefined && host !== filter.host) return false;
  if (status === undefined) return true;
  const seen = String(record.status ?? '');
  const whole = /^([1-9])xx$/i.exec(status);
  return whole ? seen.startsWith(whole[1] as string) : /^\d{3}$/.test(status) && seen === status;
}

/** What the streams of all groups hold, and the files that they were drained to as far as these are at hand. */
export function redisResults(context: Context): Results {
  async function* stream(id: CrawlId): AsyncGenerator<StreamRecord> {
    const crawl = await context.crawls.get(id);
    yield* mergeBySettling(allGroups(context).map((group) => groupRecords(context, crawl, group)));
  }

  async function* records(id: CrawlId, filter: RecordFilter = {}): AsyncGenerator<PageRecord> {
    for await (const found of stream(id)) if (matches(found, filter)) yield found.record;
  }

  async function* items(id: CrawlId): AsyncGenerator<{ url: Url; item: unknown }> {
    for await (const { record, itemsText } of stream(id)) {
      if (itemsText === '') continue;
      for (const item of JSON.parse(itemsText) as unknown[]) yield { url: record.url, item };
    }
  }

  async function* edges(id: CrawlId): AsyncGenerator<{ from: Url; edges: Edge[] }> {
    for await (const { record, edgesText } of stream(id)) {
      if (edgesText !== '') yield { from: record.url, edges: readEdges(record.url, edgesText) };
    }
  }

  return {
    records,
    items,
    edges,
    async edgesOf(id, url) {
      const found = await findRecord(context, await context.crawls.get(id), url);
      return found && found.edgesText !== '' ? readEdges(url, found.edgesText) : [];
    },
    linksTo: (id, urls, limit) => linksTo(edges(id), urls, limit),
  };
}

function readEdges(from: Url, text: string): Edge[] {
  return unpackEdges(from, Buffer.from(text, 'base64'));
}

interface Head {
  source: AsyncGenerator<StreamRecord[]>;
  page: StreamRecord[];
  at: number;
  settledAt: number;
}

/** Several ordered sources as one, by the time of settling. */
async function* mergeBySettling(sources: AsyncGenerator<StreamRecord[]>[]): AsyncGenerator<StreamRecord> {
  const heads: Head[] = [];
  const load = async (head: Head): Promise<boolean> => {
    const { done, value } = await head.source.next();
    if (done) return false;
    Object.assign(head, { page: value, at: 0, settledAt: settledAt(value[0]) });
    return true;
  };
  await Promise.all(
    sources.map(async (source) => {
      const head: Head = { source, page: [], at: 0, settledAt: 0 };
      if (await load(head)) heads.push(head);
    }),
  );
  heads.sort(byTime);
  for (let head = heads[0]; head; head = heads[0]) {
    const record = head.page[head.at] as StreamRecord;
    yield record;
    head.at++;
    heads.shift();
    const next = head.page[head.at];
    if (next) head.settledAt = settledAt(next);
    if (next || (await load(head))) insert(heads, head);
  }
}

function byTime(a: Head, b: Head): number {
  return a.settledAt - b.settledAt || (a.page[0]?.group ?? 0) - (b.page[0]?.group ?? 0);
}

function insert(heads: Head[], head: Head): void {
  let low = 0;
  for (let high = heads.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (byTime(heads[middle] as Head, head) <= 0) low = middle + 1;
    else high = middle;
  }
  heads.splice(low, 0, head);
}

function settledAt(record: StreamRecord | undefined): number {
  return Number(record?.id.split('-')[0]);
}
