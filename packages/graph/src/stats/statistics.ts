import type { HostKey, PageRecord } from '@webfarer/protocol';
import { isErrorStatus } from '@webfarer/protocol/numbers';
import { hostOf } from '@webfarer/protocol/url';
import { categories, type Home, homeOf, isPage } from './categories.ts';
import { type CountRow, CountTable } from './count-table.ts';
import { Histogram } from './histogram.ts';
import { Sketch } from './sketch.ts';
import { Timeline } from './timeline.ts';

/** What is counted at each moment, in this order. */
export const momentKinds = ['2xx', '3xx', '4xx', '5xx', 'failed', 'refused', 'bytes'] as const;
const bytesKind = momentKinds.indexOf('bytes');

/** Ten minutes: no response takes longer. */
const maxMs = 600_000;
const maxBytes = 1e12;
/** Hosts whose sites are kept in memory. */
const maxHomes = 10_000;
/** Quantiles are exact to 2.5 %. */
const growth = 1.05;

/** Figures of a crawl in the categories of a web census, gathered in one pass and in bounded memory. */
export class Statistics {
  urls = 0;
  pages = 0;
  bytes = 0;
  /** Answers of any status. */
  answers = 0;
  /** Pages whose payload has a digest. */
  withDigest = 0;
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = 0;
  readonly tables: ReadonlyMap<string, CountTable>;
  readonly times = new Histogram(growth, maxMs);
  readonly firstBytes = new Histogram(growth, maxMs);
  readonly sizes = new Histogram(growth, maxBytes);
  readonly timeline = new Timeline(momentKinds.length);
  readonly distinct = {
    urls: new Sketch(),
    contents: new Sketch(),
    hosts: new Sketch(),
    sites: new Sketch(),
    tlds: new Sketch(),
  };

  readonly #homes = new Map<HostKey, Home>();

  /** No category counts more keys than this one by one. */
  constructor(maxKeys = Number.POSITIVE_INFINITY) {
    this.tables = new Map(categories.map(({ id, max }) => [id, new CountTable(Math.min(max, maxKeys))]));
  }

  add(record: PageRecord): void {
    const page = isPage(record);
    this.urls += 1;
    this.bytes += record.bytes;
    if (page) this.pages += 1;
    const home = this.#home(hostOf(record.url));
    for (const { id, of } of categories) {
      const key = of(record, home);
      if (key !== undefined && key !== '') this.tables.get(id)?.add(key, page, record.bytes);
    }
    this.#distinguish(record, page);
    this.#time(record);
    if (record.status !== undefined) this.#answer(record);
  }

  /** Finding a host's site takes longer than all else that is counted, and few hosts have most records. */
  #home(host: HostKey): Home {
    const known = this.#homes.get(host);
    if (known) return known;
    const home = homeOf(host);
    // A host that was forgotten comes here once more, which a sketch does not count.
    if (this.#homes.size >= maxHomes) this.#homes.clear();
    this.#homes.set(host, home);
    this.distinct.hosts.add(host);
    this.distinct.sites.add(home.site);
    this.distinct.tlds.add(home.tld);
    return home;
  }

  #distinguish({ url, digest }: PageRecord, page: boolean): void {
    this.distinct.urls.add(url);
    if (!page || digest === undefined) return;
    this.withDigest += 1;
    this.distinct.contents.add(digest);
  }

  #time(record: PageRecord): void {
    const at = record.startedAtMs + record.durationMs;
    this.timeline.add(at, momentKinds.indexOf(momentKind(record)));
    if (record.bytes > 0) this.timeline.add(at, bytesKind, record.bytes);
  }

  #answer(record: PageRecord): void {
    this.answers += 1;
    this.firstMs = Math.min(this.firstMs, record.startedAtMs);
    this.lastMs = Math.max(this.lastMs, record.startedAtMs + record.durationMs);
    this.times.add(record.durationMs);
    if (record.firstByteMs !== undefined) this.firstBytes.add(record.firstByteMs);
    if (record.bytes > 0) this.sizes.add(record.bytes);
  }

  /** Rows of a category, most URLs first. */
  rows(id: string): CountRow[] {
    return this.tables.get(id)?.sorted() ?? [];
  }
}

/** What is no status at all, such as 999, counts as an error of the server (RFC 9110, section 15). */
export function statusClass(status: number): (typeof statusClasses)[number] {
  return statusClasses[Math.floor(status / 100) - 1] ?? '5xx';
}

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

function momentKind({ verdict, status }: PageRecord): (typeof momentKinds)[number] {
  if (verdict === 'refused') return 'refused';
  if (status === undefined || (verdict === 'failed' && !isErrorStatus(status))) return 'failed';
  const of = statusClass(status);
  return of === '1xx' ? '2xx' : of;
}

export async function gatherStatistics(records: AsyncIterable<PageRecord>): Promise<Statistics> {
  const statistics = new Statistics();
  for await (const record of records) statistics.add(record);
  return statistics;
}
