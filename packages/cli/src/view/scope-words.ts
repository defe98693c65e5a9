import type { Job, Url } from '@webfarer/protocol';
import type { Stay } from '@webfarer/protocol/job';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { count, plural } from '../terminal/format.ts';

/** What the crawl stays in, in words a person can check against what they meant. */
export function scopeWords(job: Job, seeds: readonly Url[]): string {
  return [stayWords(job.scope.stay, seeds), ...ruleWords(job)].join(', ');
}

function stayWords(stay: Stay, seeds: readonly Url[]): string {
  const hosts = [...new Set(seeds.map((url) => hostOf(url) as string))];
  const [host] = hosts;
  if (stay === 'web') return 'the whole web';
  if (host === undefined) return 'what the seeds name';
  if (stay === 'path')
    return seeds.length === 1
      ? `${folderOf(seeds[0] as Url)} and below`
      : `${plural(seeds.length, 'path')} and below`;
  if (stay === 'host') return hosts.length === 1 ? `${host} only` : `${count(hosts.length)} hosts only`;
  const sites = [...new Set(seeds.map((url) => siteOf(hostOf(url)) as string))];
  const site = sites[0] as string;
  if (sites.length > 1) return `${count(sites.length)} sites and their subdomains`;
  return hasSubdomains(site) ? `${site} and its subdomains` : `${site} only`;
}

/** Addresses and one-word names such as localhost have none. */
function hasSubdomains(site: string): boolean {
  return /[a-z]/i.test(site) && site.includes('.') && !site.startsWith('[');
}

function folderOf(url: Url): string {
  const path = url.replace(/[?].*$/, '');
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function ruleWords({ scope }: Job): string[] {
  const words: string[] = [];
  if (scope.include.length > 0) words.push(`only what fits ${plural(scope.include.length, 'include rule')}`);
  if (scope.exclude.length > 0) words.push(`without ${plural(scope.exclude.length, 'exclude rule')}`);
  if (scope.requisites) words.push('with images, styles and scripts from any host');
  return words;
}

/** The other settings a person may have wanted. */
export function stayHint(stay: Stay): string {
  const others: Record<Stay, string> = {
    path: 'host | site | web',
    host: 'path | site | web',
    site: 'host | web',
    web: 'host | site',
  };
  return `--stay ${others[stay]}`;
}
