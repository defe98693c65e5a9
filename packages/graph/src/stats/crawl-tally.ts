import type { PageRecord } from '@webfarer/protocol';
import type {
  CrawlStatistics,
  StatisticsDistribution,
  StatisticsHost,
  StatisticsTable,
} from '@webfarer/protocol/api';
import { hostOf } from '@webfarer/protocol/url';
import { isPage } from './categories.ts';
import type { CountRow } from './count-table.ts';
import type { Histogram } from './histogram.ts';
import { sizeEdges, timeEdges } from './stat-tables.ts';
import { Statistics, statusClass } from './statistics.ts';

/** Of hosts and sites: a coordinator counts for several readers at once. */
const maxKeys = 20_000;
const listedRows = 30;
const listedHosts = 10;
/** What sites send is cut, not what is counted under it. */
const longestKey = 200;

/** Records in, the figures of `webfarer stats` out, as the API shows them. */
export interface CrawlTally {
  add(record: PageRecord): void;
  figures(): CrawlStatistics;
}

export function createCrawlTally(): CrawlTally {
  const statistics = new Statistics(maxKeys);
  const verdicts = { done: 0, failed: 0, refused: 0 };
  const hosts = new HostTallies();
  return {
    add(record) {
      statistics.add(record);
      verdicts[record.verdict] += 1;
      hosts.add(record);
    },
    figures: () => ({
      totals: totalsOf(statistics),
      verdicts,
      classes: classesOf(statistics),
      outcomes: outcomesOf(statistics),
      tables: {
        status: tableOf(statistics, 'status', 100),
        types: tableOf(statistics, 'mime-detected'),
        languages: tableOf(statistics, 'languages'),
        charsets: tableOf(statistics, 'charset'),
        servers: tableOf(statistics, 'servers'),
        tls: tableOf(statistics, 'tls'),
        kinds: tableOf(statistics, 'kinds'),
        depths: tableOf(statistics, 'depths'),
      },
      sizes: distributionOf(statistics.sizes, sizeEdges),
      times: distributionOf(statistics.times, timeEdges),
      hosts: hosts.lists(),
    }),
  };
}

function totalsOf(seen: Statistics): CrawlStatistics['totals'] {
  const { hosts, sites, contents } = seen.distinct;
  return {
    urls: seen.urls,
    pages: seen.pages,
    bytes: seen.bytes,
    answers: seen.answers,
    hosts: hosts.distinct,
    sites: sites.distinct,
    contents: contents.distinct,
    duplicates: Math.max(0, seen.withDigest - contents.distinct),
    estimated: !hosts.exact || !sites.exact || !contents.exact,
    ...(seen.answers > 0 ? { firstMs: Math.round(seen.firstMs), lastMs: Math.round(seen.lastMs) } : {}),
  };
}

function classesOf(seen: Statistics): CrawlStatistics['classes'] {
  const classes = { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: seen.urls };
  for (const { key, urls } of seen.rows('status')) {
    classes[statusClass(Number(key))] += urls;
    classes.none -= urls;
  }
  return classes;
}

/** Reasons are a closed table, so all of them are listed. */
function outcomesOf(seen: Statistics): CrawlStatistics['outcomes'] {
  return seen.rows('outcomes').map(({ key, urls, bytes }) => {
    const at = key.indexOf('(');
    return { verdict: key.slice(0, at), reason: key.slice(at + 1, -1), urls, bytes };
  });
}

/** Rows that are first by URLs or by bytes, and the sum of all others. */
function tableOf(seen: Statistics, id: string, most = listedRows): StatisticsTable {
  const all = seen.rows(id);
  const heavy = new Set(all.toSorted((a, b) => b.bytes - a.bytes).slice(0, most));
  const rows = all.filter((row, at) => at < most || heavy.has(row));
  const listed = new Set(rows);
  const others = { urls: 0, pages: 0, bytes: 0 };
  const rest = seen.tables.get(id)?.rest;
  for (const row of [...all.filter((each) => !listed.has(each)), ...(rest ? [rest] : [])]) sumUp(others, row);
  const counted = all.reduce((sum, { urls }) => sum + urls, rest?.urls ?? 0);
  return {
    keys: all.length,
    rows: rows.map(({ key, urls, pages, bytes }) => ({ key: key.slice(0, longestKey), urls, pages, bytes })),
    others,
    without: seen.urls - counted,
  };
}

function sumUp(sums: Omit<CountRow, 'key'>, { urls, pages, bytes }: CountRow): void {
  sums.urls += urls;
  sums.pages += pages;
  sums.bytes += bytes;
}

function distributionOf(values: Histogram, edges: number[]): StatisticsDistribution {
  const counts = values.between(edges);
  const last = counts.findLastIndex((n) => n > 0);
  const at = (q: number) => (values.total === 0 ? 0 : Math.round(values.quantile(q)));
  return {
    urls: values.total,
    steps: counts.slice(0, last + 1).map((urls, i) => {
      const upTo = edges[i];
      return { above: edges[i - 1] ?? 0, ...(upTo === undefined ? {} : { upTo }), urls };
    }),
    quantiles: { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) },
  };
}

interface HostTally extends StatisticsHost {
  totalMs: number;
}

class HostTallies {
  readonly #hosts = new Map<string, HostTally>();
  #uncounted = 0;

  add(record: PageRecord): void {
    const name = hostOf(record.url);
    const host = this.#hosts.get(name) ?? this.#add(name);
    if (!host) {
      this.#uncounted += 1;
      return;
    }
    host.urls += 1;
    host.bytes += record.bytes;
    if (isPage(record)) host.pages += 1;
    if (record.verdict === 'failed') host.failed += 1;
    if (record.status === undefined) return;
    host.answers += 1;
    host.totalMs += record.durationMs;
  }

  #add(name: string): HostTally | undefined {
    if (this.#hosts.size >= maxKeys) return undefined;
    const sums = { urls: 0, pages: 0, bytes: 0, failed: 0, answers: 0, meanMs: 0, totalMs: 0 };
    const host = { host: name, ...sums };
    this.#hosts.set(name, host);
    return host;
  }

  lists(): CrawlStatistics['hosts'] {
    const all = [...this.#hosts.values()].map(({ totalMs, ...host }) => ({
      ...host,
      meanMs: host.answers === 0 ? 0 : Math.round(totalMs / host.answers),
    }));
    const first = (by: (host: StatisticsHost) => number) =>
      all
        .filter((host) => by(host) > 0)
        .toSorted((a, b) => by(b) - by(a) || b.urls - a.urls || (a.host < b.host ? -1 : 1))
        .slice(0, listedHosts);
    return {
      largest: first(({ bytes }) => bytes),
      slowest: first(({ meanMs }) => meanMs),
      failing: first(({ failed }) => failed),
      uncounted: this.#uncounted,
    };
  }
}
