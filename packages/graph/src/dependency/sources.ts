import type { Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import type { PageGraph } from './page-graph.ts';
import type { Level } from './target-groups.ts';

/** Who depends: pages on which the reader begins, under one name. */
export interface Source {
  /** Levels at which it is a source. */
  levels: { level: Level; name: string }[];
  pages: number[];
}

/** Beyond these, a host of a job is no source of its own: each takes a walk. */
export const mostHosts = 100;

/** The whole job first, then its hosts in the order of their names. */
export function sourcesOf({ job, pages }: PageGraph): Source[] {
  const all = pages.map((_, page) => page);
  const hosts = pagesByHost(pages);
  const name = siteOf(hostOf(pages[0] as Url));
  const whole: Source = {
    levels: [
      { level: 'site', name },
      { level: 'page', name: job },
    ],
    pages: all,
  };
  const [only] = hosts;
  // The walk of a job with one host is that host's walk.
  if (hosts.length === 1 && only)
    return [{ ...whole, levels: [...whole.levels, { level: 'host', name: only[0] }] }];
  const byHost = hosts.map(
    ([host, own]): Source => ({ levels: [{ level: 'host', name: host }], pages: own }),
  );
  return [whole, ...byHost];
}

function pagesByHost(pages: readonly string[]): [string, number[]][] {
  const hosts = new Map<string, number[]>();
  pages.forEach((url, page) => {
    const host = hostOf(url as Url);
    const own = hosts.get(host) ?? [];
    own.push(page);
    hosts.set(host, own);
  });
  return [...hosts]
    .toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .slice(0, mostHosts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
