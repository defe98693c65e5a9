import type { Url } from '@webfarer/protocol';
import type { Stay } from '@webfarer/protocol/job';
import { hostOf, pathOf, siteOf, stayRule } from '@webfarer/protocol/url';

/** The parts of a crawl that dependencies are about: each a site, a host or a directory. */
export interface SiteJobs {
  /** The name of the job a URL is inside of; undefined outside all of them. */
  nameOf(url: Url): string | undefined;
}

/** One job for each seed, or for each site where a crawl roams the web. */
export function siteJobs(stay: Stay, seeds: readonly Url[]): SiteJobs {
  if (stay === 'web') return { nameOf: (url) => siteOf(hostOf(url)) };
  const named = new Map(seeds.toSorted().map((seed) => [nameFor(stay, seed), stayRule(stay, [seed])]));
  const jobs = [...named];
  return { nameOf: (url) => jobs.find(([, inside]) => inside(url))?.[0] };
}

function nameFor(stay: Stay, seed: Url): string {
  const host = hostOf(seed);
  if (stay === 'site') return siteOf(host);
  const bare = host.startsWith('www.') ? host.slice(4) : host;
  return stay === 'host' ? bare : bare + (pathOf(seed).split('?', 1)[0] ?? '');
}
