import type { PageRecord, Url } from '@webfarer/protocol';
import { isBroken, isErrorStatus } from '@webfarer/protocol/numbers';
import { hostOf, pathOf } from '@webfarer/protocol/url';
import { CountTable } from '../../stats/count-table.ts';
import { Histogram } from '../../stats/histogram.ts';
import { isPage } from '../../stats/categories.ts';
import { Statistics } from '../../stats/statistics.ts';
import { BrokenLinks } from './broken-links.ts';
import { Copies } from './copies.ts';
import { FoundTree } from './found-tree.ts';
import { PathTree } from './path-tree.ts';
import { Redirects } from './redirects.ts';
import { FirstRows, Tally, TopRows } from './row-list.ts';
import { outcomeTone, outcomeTones } from './tones.ts';

/** What a report shows of the records, gathered in one pass and in bounded memory. */
export interface Survey {
  statistics: Statistics;
  /** Their pages are known once the links were read as well. */
  broken: BrokenLinks;
  failed: FirstRows<PageRecord>;
  refused: FirstRows<PageRecord>;
  /** `reason` and what decided, with how often. */
  refusedBy: Tally;
  failedBy: Tally;
  empty: FirstRows<PageRecord>;
  truncated: number;
  slow: TopRows<PageRecord>;
  largest: TopRows<PageRecord>;
  /** By depth, how many URLs ended in each of `outcomeTones`. */
  depths: number[][];
  /** Content types: by their bytes, a new line, as served. */
  types: CountTable;
  hosts: Map<string, HostRow>;
  /** Hosts beyond the number that is kept, each counted at every record. */
  recordsOfOtherHosts: number;
  paths: PathTree;
  found: FoundTree;
  redirects: Redirects;
  copies: Copies;
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
/** Deeper pages are counted with the last. */
const maxDepth = 40;
/** Ten minutes: no response takes longer. */
const maxMs = 600_000;
/** Times are exact to 2.5 %, for about 1 kB a host. */
const growth = 1.05;

export function emptySurvey(maxRows: number): Survey {
  return {
    statistics: new Statistics(),
    broken: new BrokenLinks(maxRows),
    failed: new FirstRows(maxRows),
    refused: new FirstRows(maxRows),
    refusedBy: new Tally(maxKeys),
    failedBy: new Tally(maxKeys),
    empty: new FirstRows(maxRows),
    truncated: 0,
    slow: new TopRows(maxRows),
    largest: new TopRows(Math.min(maxRows, 100)),
    depths: [],
    types: new CountTable(maxKeys),
    hosts: new Map(),
    recordsOfOtherHosts: 0,
    paths: new PathTree(),
    found: new FoundTree(),
    redirects: new Redirects(),
    copies: new Copies(),
  };
}

export function note(seen: Survey, record: PageRecord): void {
  seen.statistics.add(record);
  noteVerdict(seen, record);
  seen.broken.add(record);
  if (record.looksEmpty) seen.empty.add(record);
  if (record.truncated) seen.truncated += 1;
  noteDepth(seen, record);
  noteHost(seen, record);
  seen.paths.add(hostOf(record.url), pathOf(record.url), isBroken(record));
  seen.found.add(record);
  if (record.redirectTo !== undefined) seen.redirects.add(record.url, record.redirectTo);
  if (record.digest !== undefined && isPage(record)) seen.copies.add(record.digest, record.url);
  if (record.status === undefined) return;
  seen.slow.add(record.durationMs, record);
  if (record.mime)
    seen.types.add(`${record.mimeDetected ?? record.mime}\n${record.mime}`, isPage(record), record.bytes);
  if (record.bytes > 0) seen.largest.add(record.bytes, record);
}

function noteVerdict(seen: Survey, record: PageRecord): void {
  if (record.verdict === 'failed') {
    seen.failed.add(record);
    seen.failedBy.add(record.reason);
  } else if (record.verdict === 'refused') {
    seen.refused.add(record);
    seen.refusedBy.add(`${record.reason}\n${record.detail ?? ''}`);
  }
}

function noteDepth({ depths }: Survey, record: PageRecord): void {
  const depth = Math.min(record.depth, maxDepth);
  while (depths.length <= depth) depths.push(outcomeTones.map(() => 0));
  const row = depths[depth] as number[];
  const at = outcomeTones.findIndex(({ tone }) => tone === outcomeTone(record));
  row[at] = (row[at] ?? 0) + 1;
}

function noteHost(seen: Survey, record: PageRecord): void {
  const host = hostOf(record.url as Url);
  let row = seen.hosts.get(host);
  if (!row) {
    if (seen.hosts.size >= maxHosts) {
      seen.recordsOfOtherHosts += 1;
      return;
    }
    const times = new Histogram(growth, maxMs);
    row = { host, records: 0, pages: 0, bytes: 0, errors: 0, refused: 0, times };
    seen.hosts.set(host, row);
  }
  row.records += 1;
  row.bytes += record.bytes;
  if (isPage(record)) row.pages += 1;
  if (record.verdict === 'refused') row.refused += 1;
  if (record.verdict === 'failed' || (record.status !== undefined && isErrorStatus(record.status)))
    row.errors += 1;
  if (record.status !== undefined) row.times.add(record.durationMs);
}
