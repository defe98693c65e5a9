import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frontier, FrontierCrawl, UrlFilter } from '../../packages/coordinator/src/frontier/frontier.ts';
import { openRedisFrontier } from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../../packages/coordinator/src/frontier/sqlite/sqlite-frontier.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import {
  type CrawlId,
  type HostKey,
  type Offer,
  type SiteKey,
  systemClock,
  type Url,
  type WorkerId,
} from '../../packages/protocol/src/index.ts';
import { startRedis } from '../../test/redis/servers.ts';
import { settlementOf } from './outcomes.ts';

/** How long any filter of URLs takes, alone and in pairs, on both stores. */
export interface UrlFilterFigures {
  known: number;
  filters: number;
  /** Of a page of 100: the bound of the work for a page must keep it below a second. */
  slowestMs: number;
  slowest: string;
  /** The same in CPU time of the coordinator's process, which a busy machine does not stretch. */
  slowestCpuMs: number;
  /** By one condition, until 100 matches were found or all URLs were searched, however many pages that took. */
  slowestWholeMs: number;
  slowestWhole: string;
  mostPages: number;
  byStore: Record<string, { slowestMs: number; medianMs: number; slowestWholeMs: number }>;
  /** Searches by place that found another number of URLs on the two stores, where both searched all: 0. */
  disagreements: number;
}

const crawl = 'bench' as CrawlId;
const settings: FrontierCrawl = {
  id: crawl,
  gapMs: 0,
  leaseTtlMs: 600_000,
  maxFetchMs: 1_000,
  backoffMs: 1_000,
  deadAfter: 1_000_000,
  limits: {},
};
const worker = 'bench' as WorkerId;
const perCall = 2_000;
const hostsPerSite = 4;
/** Of the URLs, so many are settled; some of the rest stay leased. */
const settledShare = 0.6;

const siteOf = (n: number, hosts: number) => `site${Math.floor((n % hosts) / hostsPerSite)}.example`;
const hostOf = (n: number, hosts: number) => `h${n % hosts}.${siteOf(n, hosts)}`;

function offerOf(n: number, hosts: number): Offer {
  const url = `https://${hostOf(n, hosts)}/section-${n % 17}/page-${n}` as Url;
  return { url, kind: 'page', depth: n % 8, cost: 0, hops: 0 };
}

async function fill(frontier: Frontier, { known, hosts }: { known: number; hosts: number }): Promise<void> {
  await frontier.openCrawl(settings);
  for (let n = 0; n < known; n += perCall) {
    const count = Math.min(perCall, known - n);
    await frontier.offer(
      crawl,
      Array.from({ length: count }, (_, i) => offerOf(n + i, hosts)),
    );
  }
  let settled = 0;
  for (const wanted = known * settledShare; settled < wanted; ) {
    const { leases } = await frontier.lease({ worker, hosts: 100, urlsPerHost: 50, crawls: [crawl] });
    if (leases.length === 0) throw new Error('nothing was leased');
    const reports = leases.map(({ id, crawl: of, host, fence, part, entries }) => ({
      id,
      crawl: of,
      host,
      fence,
      part,
      settled: entries.map(settlementOf),
      offers: [],
      news: { endedAgoMs: 0, gapMs: 0, why: 'gap' as const, health: 'ok' as const },
      close: true,
    }));
    await frontier.report(reports as Parameters<Frontier['report']>[0]);
    settled += leases.reduce((sum, { entries }) => sum + entries.length, 0);
  }
  await frontier.lease({ worker, hosts: 50, urlsPerHost: 5, crawls: [crawl] });
}

/** Each alone, and every two that are about different things. */
function filtersFor(hosts: number): UrlFilter[] {
  const n = hosts - 3;
  const host = hostOf(n, hosts);
  const one: UrlFilter[] = [
    ...(['queued', 'leased', 'done', 'failed', 'refused'] as const).map((state) => ({ state })),
    ...(['ok', 'timeout', 'robots', 'dropped'] as const).map((reason) => ({ reason })),
    ...['2xx', '404', '5xx'].map((status) => ({ status })),
    { host: host as HostKey },
    { host: 'unknown.example' as HostKey },
    { site: siteOf(n, hosts) as SiteKey },
    { prefix: `https://${host}/section-3/` },
    { prefix: 'https://h7.s' },
    { depth: 3 },
    { depth: 99 },
  ];
  const pairs = one.flatMap((a, i) =>
    one
      .slice(i + 1)
      .filter((b) => Object.keys(a)[0] !== Object.keys(b)[0])
      .map((b) => ({ ...a, ...b })),
  );
  return [{}, ...one, ...pairs];
}

interface Measured {
  filter: string;
  pageMs: number;
  pageCpuMs: number;
  wholeMs: number;
  pages: number;
  /** Matches, where all was searched. */
  found: number | undefined;
}

async function measure(
  filter: UrlFilter,
  search: (filter: UrlFilter, after: string) => ReturnType<Frontier['urls']>,
): Promise<Measured> {
  let [pageMs, pageCpuMs, wholeMs, pages, found] = [0, 0, 0, 0, 0];
  // A search by two conditions costs what one of them costs: some pages of it are enough.
  const most = Object.keys(filter).length > 1 ? 3 : Number.POSITIVE_INFINITY;
  for (let after: string | undefined = ''; after !== undefined && found < 100 && pages < most; pages++) {
    const from = performance.now();
    const spent = process.cpuUsage();
    const page: Awaited<ReturnType<Frontier['urls']>> = await search(filter, after);
    const took = performance.now() - from;
    const { user, system } = process.cpuUsage(spent);
    pageMs = Math.max(pageMs, took);
    pageCpuMs = Math.max(pageCpuMs, (user + system) / 1_000);
    wholeMs += took;
    found += page.urls.length;
    after = page.next;
    if (after === undefined)
      return { filter: JSON.stringify(filter), pageMs, pageCpuMs, wholeMs, pages: pages + 1, found };
  }
  return { filter: JSON.stringify(filter), pageMs, pageCpuMs, wholeMs, pages, found: undefined };
}

const limit = 100;

async function onSqlite(known: number, hosts: number): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-urls-'));
  const path = join(folder, 'frontier.db');
  const clock = systemClock();
  const writer = openSqliteFrontier({ path, clock });
  try {
    await fill(writer, { known, hosts });
    const measured: Measured[] = [];
    for (const filter of filtersFor(hosts))
      measured.push(
        await measure(filter, async (given, after) => {
          // As the API does: for each request, beside the process that writes.
          const reader = openSqliteFrontier({ path, clock, readOnly: true });
          try {
            return await reader.urls(crawl, { filter: given, after, limit });
          } finally {
            await reader.close();
          }
        }),
      );
    return measured;
  } finally {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRedis(known: number, hosts: number): Promise<Measured[]> {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  try {
    const clock = systemClock();
    const frontier = await openRedisFrontier({
      store: await openStore({ url: servers.url, replicas: 0, clock }),
      clock,
    });
    try {
      await fill(frontier, { known, hosts });
      const measured: Measured[] = [];
      for (const filter of filtersFor(hosts))
        measured.push(
          await measure(filter, (given, after) => frontier.urls(crawl, { filter: given, after, limit })),
        );
      return measured;
    } finally {
      await frontier.close();
    }
  } finally {
    await servers.stop();
  }
}

export async function urlFilters({ known }: { known: number }): Promise<UrlFilterFigures> {
  const hosts = Math.max(40, Math.round(known / 100));
  const stores = { sqlite: await onSqlite(known, hosts), redis: await onRedis(known, hosts) };
  const named = Object.entries(stores).flatMap(([store, all]) =>
    all.map((one) => ({ ...one, name: `${store} ${one.filter}` })),
  );
  const [page] = named.toSorted((a, b) => b.pageMs - a.pageMs);
  const [whole] = named.toSorted((a, b) => b.wholeMs - a.wholeMs);
  // Which URLs are settled by now is another matter on each store.
  const isOfPlace = (filter: string) => !/"(state|reason|status)"/.test(filter);
  const disagreements = stores.sqlite.filter(({ filter, found }, n) => {
    const other = stores.redis[n]?.found;
    return isOfPlace(filter) && found !== undefined && other !== undefined && found !== other;
  });
  return {
    known,
    filters: named.length,
    slowestMs: Math.round(page?.pageMs ?? 0),
    slowest: page?.name ?? '',
    slowestCpuMs: Math.round(Math.max(...named.map((one) => one.pageCpuMs))),
    slowestWholeMs: Math.round(whole?.wholeMs ?? 0),
    slowestWhole: whole?.name ?? '',
    mostPages: Math.max(...named.map(({ pages }) => pages)),
    byStore: Object.fromEntries(
      Object.entries(stores).map(([store, all]) => [
        store,
        {
          slowestMs: Math.round(Math.max(...all.map(({ pageMs }) => pageMs))),
          medianMs: Math.round(
            all.map(({ pageMs }) => pageMs).toSorted((a, b) => a - b)[all.length >> 1] ?? 0,
          ),
          slowestWholeMs: Math.round(Math.max(...all.map(({ wholeMs }) => wholeMs))),
        },
      ]),
    ),
    disagreements: disagreements.length,
  };
}
