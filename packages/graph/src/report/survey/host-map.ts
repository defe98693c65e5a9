import { csrOf, transpose } from '../../hostgraph/csr.ts';
import { centrality, type Centrality } from '../../hostgraph/measures.ts';
import { communities, tiesOf } from './communities.ts';
import { forceLayout, type Place } from './layout.ts';
import type { HostLinks } from './host-pairs.ts';

export interface MapHost {
  host: string;
  centrality: number;
  linkedFrom: number;
  linksTo: number;
  /** Links on pages of other hosts that lead here. */
  linksHere: number;
  community: number;
  /** The crawl asked it for something; others are only linked to. */
  crawled: boolean;
  place: Place;
}

/** The hosts that matter most, where each stands, and the links between them. */
export interface HostMap {
  hosts: MapHost[];
  /** Places in the list, and how many pages link. */
  links: [number, number, number][];
  /** Hosts there are in all. */
  total: number;
}

export interface HostMapOptions {
  maxHosts: number;
  maxLinks: number;
  crawled: (host: string) => boolean;
}

export async function hostMap({ hosts, links }: HostLinks, options: HostMapOptions): Promise<HostMap> {
  const { maxHosts, maxLinks, crawled } = options;
  const { harmonic: scores, inDegree, outDegree } = await centralityOf(hosts.length, links);
  const [linksHere, linksAway] = linkSums(hosts.length, links);
  const linksOf = (i: number) => (linksHere[i] ?? 0) + (linksAway[i] ?? 0);
  const ranked = hosts
    .map((_, i) => i)
    .sort(
      (a, b) =>
        (scores[b] ?? 0) - (scores[a] ?? 0) ||
        linksOf(b) - linksOf(a) ||
        ((hosts[a] ?? '') < (hosts[b] ?? '') ? -1 : 1),
    );
  const order = withCrawled(ranked, maxHosts, (i) => crawled(hosts[i] ?? ''));
  const place = new Map(order.map((host, i) => [host, i]));
  const kept = links
    .filter(([a, b]) => place.has(a) && place.has(b))
    .map(([a, b, n]): [number, number, number] => [place.get(a) ?? 0, place.get(b) ?? 0, n])
    .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  const ties = tiesOf(order.length, kept);
  const groups = communities(ties);
  const places = await forceLayout(ties, groups);
  return {
    hosts: order.map((host, i) => ({
      host: hosts[host] ?? '',
      centrality: scores[host] ?? 0,
      linkedFrom: inDegree[host] ?? 0,
      linksTo: outDegree[host] ?? 0,
      linksHere: linksHere[host] ?? 0,
      community: groups[i] ?? 0,
      crawled: crawled(hosts[host] ?? ''),
      place: places[i] ?? { x: 0, y: 0 },
    })),
    links: kept.slice(0, maxLinks),
    total: hosts.length,
  };
}

/** The first of them, but before all others those that were crawled: a crawl of one site is about that site. */
function withCrawled(ranked: readonly number[], max: number, crawled: (i: number) => boolean): number[] {
  const isCrawled = new Set(ranked.filter(crawled).slice(0, max));
  const others = new Set(ranked.filter((i) => !isCrawled.has(i)).slice(0, max - isCrawled.size));
  return ranked.filter((i) => isCrawled.has(i) || others.has(i));
}

/** Links that lead to each host, and away from it. */
function linkSums(hosts: number, links: HostLinks['links']): [number[], number[]] {
  const here = Array.from({ length: hosts }, () => 0);
  const away = Array.from({ length: hosts }, () => 0);
  for (const [from, to, n] of links) {
    here[to] = (here[to] ?? 0) + n;
    away[from] = (away[from] ?? 0) + n;
  }
  return [here, away];
}

function centralityOf(nodes: number, links: HostLinks['links']): Promise<Centrality> {
  const rows = Array.from({ length: nodes }, (): number[] => []);
  for (const [from, to] of links) rows[from]?.push(to);
  const out = csrOf(rows.map((row) => row.sort((a, b) => a - b)));
  return centrality({ out, into: transpose(out) });
}
