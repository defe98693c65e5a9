import type { CookiesSet, CrawlId, HostLease, SiteKey, Url, WorkerId } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import type { LeaseCalls } from './lease-roster.ts';

/**
 * Cookies that a site has set for one worker, for the others that are given hosts of the site after it: a login or a
 * consent is of the whole crawl. They come with the report of the page that set them, so before anybody else can be
 * given the host, and go with the next lease. Only in memory: each worker has a jar of its own on disk.
 */
export interface SharedCookies {
  /** The calls of a worker that is trusted; a volunteer neither gives nor gets cookies. */
  share(leases: LeaseCalls, worker: WorkerId): LeaseCalls;
  /** The crawl was deleted: another one of the same id has no part in its logins. */
  forget(crawl: CrawlId): void;
}

/** Sites and cookies of a site beyond these forget the oldest. */
const MOST_SITES = 10_000;
const MOST_PER_SITE = 100;

interface Cookie extends CookiesSet {
  knownTo: Set<WorkerId>;
}

export function shareCookies(): SharedCookies {
  /** By crawl and site, then by what tells a cookie from another; the latest last. */
  const sites = new Map<string, Map<string, Cookie>>();
  const workers = new Set<WorkerId>();

  /** Answers how many of the site are forgotten for it that another worker may lack. */
  function take(worker: WorkerId, crawl: string, { url, lines }: CookiesSet): number {
    const key = keyOf(crawl, siteOf(hostOf(url as Url)));
    const site = sites.get(key) ?? new Map<string, Cookie>();
    sites.delete(key);
    sites.set(key, site);
    for (const line of lines) {
      const name = identityOf(url, line);
      site.delete(name);
      site.set(name, { url, lines: [line], knownTo: new Set([worker]) });
    }
    forgetOldest(sites, MOST_SITES);
    const forgotten = forgetOldest(site, MOST_PER_SITE);
    return workers.size > 1 ? forgotten : 0;
  }

  function give(worker: WorkerId, lease: HostLease): void {
    const site = sites.get(keyOf(lease.crawl, siteOf(lease.host)));
    if (!site) return;
    const owed: CookiesSet[] = [...(lease.cookies ?? [])];
    for (const { url, lines, knownTo } of site.values()) {
      if (knownTo.has(worker)) continue;
      knownTo.add(worker);
      owed.push({ url, lines });
    }
    if (owed.length > 0) lease.cookies = owed;
  }

  /** What an earlier process of the worker was told may be lost with it. */
  function forgetWorker(worker: WorkerId): void {
    for (const site of sites.values()) for (const { knownTo } of site.values()) knownTo.delete(worker);
  }

  return {
    forget(crawl) {
      for (const key of sites.keys()) if (key.startsWith(keyOf(crawl, ''))) sites.delete(key);
    },
    share(leases, worker) {
      forgetWorker(worker);
      workers.add(worker);
      return {
        ...leases,
        async lease(request) {
          const answer = await leases.lease(request);
          for (const lease of answer.leases) {
            // Those that came from further away are news to the others here as well.
            for (const set of lease.cookies ?? []) take(worker, lease.crawl, set);
            if (sites.size > 0) give(worker, lease);
          }
          return answer;
        },
        report(reports) {
          for (const report of reports) {
            let forgotten = 0;
            for (const set of report.cookies ?? []) forgotten += take(worker, report.crawl, set);
            if (forgotten > 0) report.cookiesLeftOut = (report.cookiesLeftOut ?? 0) + forgotten;
          }
          return leases.report(reports);
        },
      };
    },
  };
}

function keyOf(crawl: string, site: SiteKey | ''): string {
  return `${crawl}\n${site}`;
}

/** As browsers tell cookies apart: by name, domain and path. */
function identityOf(url: string, line: string): string {
  const [pair = '', ...attributes] = line.split(';');
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
  const of = (wanted: string) =>
    attributes.map((one) => one.trim()).find((one) => one.toLowerCase().startsWith(`${wanted}=`));
  return [name, of('domain') ?? hostOf(url as Url), of('path') ?? '', url.startsWith('https:')].join('\n');
}

function forgetOldest(map: Map<string, unknown>, most: number): number {
  const over = Math.max(0, map.size - most);
  for (const [oldest] of map) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
  return over;
}
