import { findBroken } from '@webfarer/graph';
import type { PageRecord, Url } from '@webfarer/protocol';
import type { FolderReader } from '../crawl/local-port.ts';

export const reportKinds = ['broken', 'failed', 'skipped', 'slow'] as const;
export type ReportKind = (typeof reportKinds)[number];

export interface ReportRow {
  record: PageRecord;
  /** The first pages that link to it. */
  pages: readonly Url[];
  /** How many link to it in all, where that is counted. */
  onPages?: number;
}

export interface ReportRows {
  /** The first ones, or the slowest. */
  rows: ReportRow[];
  /** How many there are in all. */
  total: number;
  /** Pages that have a broken link. */
  pages?: number;
}

/** The records of one kind, at most `limit` of them, with the pages that link to them where that helps. */
export async function reportRows(reader: FolderReader, kind: ReportKind, limit: number): Promise<ReportRows> {
  const { results, crawl } = reader;
  if (kind === 'broken') return await findBroken(results.records(crawl), results.edges(crawl), limit);
  const records: PageRecord[] = [];
  let total = 0;
  for await (const record of recordsOf(reader, kind)) {
    total++;
    if (kind === 'slow') keepSlowest(records, record, limit);
    else if (records.length < limit) records.push(record);
  }
  const asked = new Set(kind === 'slow' ? [] : records.map((record) => record.url));
  const found = await reader.results.linksTo(reader.crawl, asked, 3);
  const pagesOf = ({ url, referrer }: PageRecord): readonly Url[] =>
    found.get(url) ?? (referrer === undefined || kind === 'slow' ? [] : [referrer]);
  return { rows: records.map((record) => ({ record, pages: pagesOf(record) })), total };
}

async function* recordsOf(
  reader: FolderReader,
  kind: Exclude<ReportKind, 'broken'>,
): AsyncIterable<PageRecord> {
  const { results, crawl } = reader;
  switch (kind) {
    case 'failed':
      yield* results.records(crawl, { verdict: 'failed' });
      return;
    case 'skipped':
      yield* results.records(crawl, { verdict: 'refused' });
      return;
    case 'slow':
      yield* results.records(crawl, { verdict: 'done' });
  }
}

/** Keeps `limit` records, slowest first. Most records are not slow, so most calls end at the first line. */
function keepSlowest(records: PageRecord[], record: PageRecord, limit: number): void {
  const last = records.at(-1);
  if (records.length >= limit && last && record.durationMs <= last.durationMs) return;
  const at = records.findIndex((other) => other.durationMs < record.durationMs);
  records.splice(at < 0 ? records.length : at, 0, record);
  if (records.length > limit) records.pop();
}
