import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import type { HostGraph, HostGraphNode } from '@webfarer/protocol/api';
import { hostOf } from '@webfarer/protocol/url';
import { isReaderLink } from '../../dependency/reader-links.ts';
import { isPage } from '../../stats/categories.ts';
import { communities, tiesOf } from './communities.ts';
import { HostPairs } from './host-pairs.ts';

/** More are not drawn, and not looked at by anybody. */
const mostHosts = 1_000;
const mostLinks = 10_000;

/** Results in, the map of hosts out, as the API shows it. */
export interface HostGraphTally {
  addRecord(record: PageRecord): void;
  addLinks(from: Url, edges: readonly Edge[]): void;
  figures(): HostGraph;
}

export function createHostGraphTally(): HostGraphTally {
  const pairs = new HostPairs();
  const crawled = new Map<string, { urls: number; pages: number }>();
  let uncounted = 0;
  return {
    addRecord(record) {
      const host = hostOf(record.url);
      if (pairs.crawled(host) === undefined) {
        uncounted += 1;
        return;
      }
      const counts = crawled.get(host) ?? { urls: 0, pages: 0 };
      crawled.set(host, counts);
      counts.urls += 1;
      if (isPage(record)) counts.pages += 1;
    },
    addLinks(from, edges) {
      const source = hostOf(from);
      // A page that links to the same page twice links to it.
      const seen = new Set<string>();
      for (const { to, rel } of edges) {
        if (!isReaderLink(rel) || seen.has(to)) continue;
        seen.add(to);
        pairs.add(source, hostOf(to));
      }
    },
    figures() {
      const { hosts, links, leftOut } = pairs.result();
      const nodes = hosts.map(
        (host): HostGraphNode => ({
          host,
          crawled: crawled.has(host),
          ...(crawled.get(host) ?? { urls: 0, pages: 0 }),
          linksIn: 0,
          linksOut: 0,
          hostsIn: 0,
          hostsOut: 0,
          group: 0,
        }),
      );
      let all = 0;
      for (const [from, to, n] of links) {
        all += n;
        const [source, target] = [nodes[from], nodes[to]];
        if (!source || !target) continue;
        source.linksOut += n;
        source.hostsOut += 1;
        target.linksIn += n;
        target.hostsIn += 1;
      }
      const order = nodes
        .map((_, i) => i)
        .sort((a, b) => inOrder(nodes[a] as HostGraphNode, nodes[b] as HostGraphNode))
        .slice(0, mostHosts);
      const place = new Map(order.map((node, i) => [node, i]));
      const kept = links
        .filter(([a, b]) => place.has(a) && place.has(b))
        .map(([a, b, n]): [number, number, number] => [place.get(a) ?? 0, place.get(b) ?? 0, n])
        .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1])
        .slice(0, mostLinks);
      const groups = communities(tiesOf(order.length, kept));
      return {
        hosts: order.map((node, i) => ({ ...(nodes[node] as HostGraphNode), group: groups[i] ?? 0 })),
        links: kept,
        totals: { hosts: hosts.length, crawled: crawled.size, links: all, pairs: links.length },
        uncounted: { urls: uncounted, links: leftOut },
      };
    },
  };
}

/** Those that were crawled, then those that most links lead to; of equal ones those with more links in all. */
function inOrder(a: HostGraphNode, b: HostGraphNode): number {
  return (
    Number(b.crawled) - Number(a.crawled) ||
    b.linksIn - a.linksIn ||
    b.linksOut - a.linksOut ||
    b.urls - a.urls ||
    (a.host < b.host ? -1 : 1)
  );
}
