import { communities, tiesOf } from './communities.ts';
import { forceLayout, type Place } from './layout.ts';
import type { HostLinks } from './links.ts';

export interface GraphHost {
  host: string;
  centrality: number;
  linkedFrom: number;
  linksTo: number;
  community: number;
  /** The crawl asked it for something; others are only linked to. */
  crawled: boolean;
  place: Place;
}

/** The hosts that matter most, where each stands, and the links between them. */
export interface HostGraph {
  hosts: GraphHost[];
  /** Places in the list, and how many pages link. */
  links: [number, number, number][];
  /** Hosts there are in all. */
  total: number;
}

/** With more work than this, closeness is taken from neighbours alone. */
const maxWork = 60_000_000;

export interface HostGraphOptions {
  maxHosts: number;
  maxLinks: number;
  crawled: (host: string) => boolean;
}

export function hostGraph({ hosts, links }: HostLinks, options: HostGraphOptions): HostGraph {
  const { maxHosts, maxLinks, crawled } = options;
  const scores = harmonic(hosts.length, links);
  const [from, to] = [new Map<number, number>(), new Map<number, number>()];
  for (const [a, b] of links) {
    from.set(b, (from.get(b) ?? 0) + 1);
    to.set(a, (to.get(a) ?? 0) + 1);
  }
  const order = hosts
    .map((_, i) => i)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || ((hosts[a] ?? '') < (hosts[b] ?? '') ? -1 : 1))
    .slice(0, maxHosts);
  const place = new Map(order.map((host, i) => [host, i]));
  const kept = links
    .filter(([a, b]) => place.has(a) && place.has(b))
    .map(([a, b, n]): [number, number, number] => [place.get(a) ?? 0, place.get(b) ?? 0, n])
    .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  const ties = tiesOf(order.length, kept);
  const groups = communities(ties);
  const places = forceLayout(ties, groups);
  return {
    hosts: order.map((host, i) => ({
      host: hosts[host] ?? '',
      centrality: scores[host] ?? 0,
      linkedFrom: from.get(host) ?? 0,
      linksTo: to.get(host) ?? 0,
      community: groups[i] ?? 0,
      crawled: crawled(hosts[host] ?? ''),
      place: places[i] ?? { x: 0, y: 0 },
    })),
    links: kept.slice(0, maxLinks),
    total: hosts.length,
  };
}

/** Harmonic centrality: the sum of 1 / distance from every other host, by a search from each along the links. */
export function harmonic(nodes: number, links: HostLinks['links']): Float64Array {
  const scores = new Float64Array(nodes);
  const rows = Array.from({ length: nodes }, (): number[] => []);
  for (const [a, b] of links) rows[a]?.push(b);
  const depth = nodes * (nodes + links.length) > maxWork ? 1 : Number.POSITIVE_INFINITY;
  const seen = new Int32Array(nodes).fill(-1);
  for (let start = 0; start < nodes; start++) {
    let level = [start];
    seen[start] = start;
    for (let distance = 1; level.length > 0 && distance <= depth; distance++) {
      const next: number[] = [];
      for (const node of level) {
        for (const other of rows[node] ?? []) {
          if (seen[other] === start) continue;
          seen[other] = start;
          scores[other] = (scores[other] ?? 0) + 1 / distance;
          next.push(other);
        }
      }
      level = next;
    }
  }
  return scores;
}
