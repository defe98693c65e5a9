import { hostOf, type FailedReason, type PageRecord, type Url } from '@webfarer/protocol';
import { Histogram } from '../stats/histogram.ts';
import { FirstRows, Tally, TopRows } from './row-list.ts';

/** What a report shows of the records, gathered in one pass and in bounded memory. */
export interface Survey {
  records: number;
  firstMs: number;
  lastMs: number;
  bytes: number;
  broken: FirstRows<PageRecord>;
  failed: FirstRows<PageRecord>;
  refused: FirstRows<PageRecord>;
  /** `reason` and what decided, with how often. */
  refusedBy: Tally;
  failedBy: Tally;
  empty: FirstRows<PageRecord>;
  truncated: number;
  slow: TopRows<PageRecord>;
  largest: TopRows<PageRecord>;
  times: Histogram;
  statuses: Tally;
  types: Tally;
  depths: Tally;
  hosts: Map<string, HostRow>;
  /** Hosts beyond the number that is kept, each counted at every record. */
  recordsOfOtherHosts: number;
}

export interface HostRow {
  host: string;
  records: number;
  pages: number;
  bytes: number;
  errors: number;
  refused: number;
  times: Histogram;
}

const maxHosts = 20_000;
const maxKeys = 1_000;
/** Ten minutes: no response takes longer. */
const maxMs = 600_000;
/** Times are exact to 2.5 %, for about 1 kB a host. */
const growth = 1.05;

/** Failures that say nothing about the link: our own code's, or ours for asking too often. */
const ownFailures = new Set<string>([
  'handler',
  'handler-timeout',
  'item-invalid',
  'poison',
  'http-429',
] satisfies FailedReason[]);

export async function survey(records: AsyncIterable<PageRecord>, maxRows: number): Promise<Survey> {
  const seen: Survey = {
    records: 0,
    firstMs: Number.POSITIVE_INFINITY,
    lastMs: 0,
    bytes: 0,
    broken: new FirstRows(maxRows),
    failed: new FirstRows(maxRows),
    refused: new FirstRows(maxRows),
    refusedBy: new Tally(maxKeys),
    failedBy: new Tally(maxKeys),
    empty: new FirstRows(maxRows),
    truncated: 0,
    slow: new TopRows(maxRows),
    largest: new TopRows(Math.min(maxRows, 100)),
    times: new Histogram(growth, maxMs),
    statuses: new Tally(maxKeys),
    types: new Tally(maxKeys),
    depths: new Tally(maxKeys),
    hosts: new Map(),
    recordsOfOtherHosts: 0,
  };
  for await (const record of records) note(seen, record);
  return seen;
}

function note(seen: Survey, record: PageRecord): void {
  seen.records += 1;
  seen.bytes += record.bytes;
  if (record.verdict === 'failed') {
    seen.failed.add(record);
    seen.failedBy.add(record.reason);
  } else if (record.verdict === 'refused') {
    seen.refused.add(record);
    seen.refusedBy.add(`${record.reason}\n${record.detail ?? ''}`);
  }
  if (isBroken(record)) seen.broken.add(record);
  if (record.looksEmpty) seen.empty.add(record);
  if (record.truncated) seen.truncated += 1;
  seen.depths.add(String(record.depth));
  noteHost(seen, record);
  if (record.status === undefined) return;
  seen.firstMs = Math.min(seen.firstMs, record.startedAtMs);
  seen.lastMs = Math.max(seen.lastMs, record.startedAtMs + record.durationMs);
  seen.statuses.add(String(record.status));
  seen.times.add(record.durationMs);
  seen.slow.add(record.durationMs, record);
  if (record.mime) seen.types.add(record.mime);
  if (record.bytes > 0) seen.largest.add(record.bytes, record);
}

/** A link a visitor would stumble over: the answer is an error, or there is none. */
export function isBroken(record: PageRecord): boolean {
  if (record.verdict === 'failed') return !ownFailures.has(record.reason);
  return record.verdict === 'done' && record.status !== undefined && record.status >= 400;
}

function noteHost(seen: Survey, record: PageRecord): void {
  const host = hostOf(record.url as Url);
  let row = seen.hosts.get(host);
  if (!row) {
    if (seen.hosts.size >= maxHosts) {
      seen.recordsOfOtherHosts += 1;
      return;
    }
    row = {
      host,
      records: 0,
      pages: 0,
      bytes: 0,
      errors: 0,
      refused: 0,
      times: new Histogram(growth, maxMs),
    };
    seen.hosts.set(host, row);
  }
  row.records += 1;
  row.bytes += record.bytes;
  if (record.verdict === 'done') row.pages += 1;
  if (record.verdict === 'refused') row.refused += 1;
  if (record.verdict === 'failed' || (record.status !== undefined && record.status >= 400)) row.errors += 1;
  if (record.status !== undefined) row.times.add(record.durationMs);
}
