import type { JobInput } from '@webfarer/protocol';
import type { Random } from '../fuzz/random.ts';
import { noLimits } from '../../bench/no-limits.ts';
import type { Site } from './sites.ts';

/** A crawl that is to be created, and every page that it must ask for. */
export interface PlannedCrawl {
  name: string;
  /** The contact in its requests: by it the log of the sites tells crawls apart. */
  mark: string;
  team: string;
  urls: readonly string[];
  /** One of the crawls of a team that are alike: the same pages on hosts of their own, created together. */
  twin: boolean;
}

export interface PlanSize {
  /** Without twins. */
  crawls: number;
  /** Pages of the largest one; most have a handful. */
  mostPages: number;
  /** Hosts that crawls share. */
  sharedHosts: number;
  /** Of each team. */
  twins: number;
  twinHosts: number;
  pagesPerTwinHost: number;
}

/** One team has most of the crawls: the others must not feel it. */
const teams = ['greedy', 'second', 'third', 'fourth'] as const;
const greedyShare = 0.7;
/** Pages of a crawl on one host, so that large ones have many hosts. */
const pagesOnOwnHost = 2;
const pagesOnSharedHost = 16;
/** The higher, the fewer crawls are large. */
const steepness = 10;

/** From one page to the most, so that the sum is the same for each order. */
function sizesOf({ crawls, mostPages }: PlanSize): number[] {
  return Array.from({ length: crawls }, (_, n) => Math.round(mostPages ** (((n + 1) / crawls) ** steepness)));
}

/** The crawls in the order in which they are created; the last ones are the twins. */
export function planCrawls(size: PlanSize, random: Random, addSite: () => Site): PlannedCrawl[] {
  const shared = Array.from({ length: size.sharedHosts }, () => ({ site: addSite(), used: 0 }));
  let next = 0;
  const planned = (name: string, team: string, urls: string[], twin = false): PlannedCrawl => ({
    name,
    mark: `mark-${name}-end`,
    team,
    urls,
    twin,
  });
  /** The first pages on a host of its own, then some of each of the hosts that it shares; no page is of two crawls. */
  function urlsOf(pages: number): string[] {
    const urls = addSite().pages(0, Math.min(pages, pagesOnOwnHost));
    while (urls.length < pages) {
      const host = shared[next++ % shared.length];
      if (!host) throw new Error('there is no shared host');
      const count = Math.min(pages - urls.length, pagesOnSharedHost);
      urls.push(...host.site.pages(host.used, count));
      host.used += count;
    }
    return urls;
  }
  const sizes = shuffled(sizesOf(size), random);
  const crawls = sizes.map((pages, n) => {
    const others = teams.slice(1);
    const team = random.below(1_000) < greedyShare * 1_000 ? teams[0] : random.pick(others);
    return planned(`c-${n}`, team, urlsOf(pages));
  });
  const twins = teams.flatMap((team) =>
    Array.from({ length: size.twins }, (_, n) => {
      const hosts = Array.from({ length: size.twinHosts }, addSite);
      const urls = hosts.flatMap((host) => host.pages(0, size.pagesPerTwinHost));
      return planned(`twin-${team}-${n}`, team, urls, true);
    }),
  );
  return [...crawls, ...twins];
}

/** One crawl of the pages of all of them. */
export function asOne(crawls: readonly PlannedCrawl[]): PlannedCrawl {
  const name = 'one';
  return {
    name,
    mark: `mark-${name}-end`,
    team: teams[0],
    urls: crawls.flatMap(({ urls }) => urls),
    twin: false,
  };
}

export function jobOf({ name, mark, team, urls }: PlannedCrawl, gapMs: number): JobInput {
  return {
    name,
    team,
    seeds: [...urls],
    contact: `https://lab.test/${mark}`,
    scope: { stay: 'host' },
    limits: { ...noLimits, depth: 0 },
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
    // Leases of a worker that was killed run out soon.
    fetch: { allowPrivate: ['127.0.0.0/8'], timeout: '3s', retries: { poisonAfter: 35 } },
    save: ['none'],
  };
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}
