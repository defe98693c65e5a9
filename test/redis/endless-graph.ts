import type { Offer, Url } from '../../packages/protocol/src/index.ts';

/**
 * Pages in closed form: page p of a host links to page p + 1 of it, to a leaf of another host that nobody
 * else links to, and to a page that is known long since. Each URL but the first of a host has one page that
 * links to it, so an offer that is lost is missed; hosts do not need each other to go on. It goes on until it is
 * told to end.
 */
export interface EndlessGraph {
  seeds: Offer[];
  linksOf(url: Url): Offer[];
  /** Nothing is linked to any more that was not yet. */
  end(): void;
  /** All that must be known, once it has ended. */
  expected(): Set<Url>;
}

const hostName = (host: number): string => `h${host}.s${host}.test`;
const pageUrl = (host: number, page: number): Url => `http://${hostName(host)}/p${page}` as Url;

export function endlessGraph(hosts: number): EndlessGraph {
  const leafUrl = (host: number, page: number): Url =>
    `http://${hostName((host + 1 + (page % (hosts - 1))) % hosts)}/l${host}-${page}` as Url;
  const pages = Array<number>(hosts).fill(1);
  let ended = false;

  return {
    seeds: Array.from({ length: hosts }, (_, host) => offerOf(pageUrl(host, 0))),
    linksOf(url) {
      const [, hostText, pageText] = /^http:\/\/h(\d+)\..*\/p(\d+)$/.exec(url) ?? [];
      if (pageText === undefined) return [];
      const [host, page] = [Number(hostText), Number(pageText)];
      if (ended && page + 1 >= (pages[host] ?? 0)) return [];
      pages[host] = Math.max(pages[host] ?? 0, page + 2);
      return [pageUrl(host, page + 1), leafUrl(host, page), pageUrl((host + 1) % hosts, 0)].map(offerOf);
    },
    end() {
      ended = true;
    },
    expected() {
      const all = new Set<Url>();
      for (const [host, count] of pages.entries()) {
        for (let page = 0; page < count; page++) all.add(pageUrl(host, page));
        for (let page = 0; page < count - 1; page++) all.add(leafUrl(host, page));
      }
      return all;
    },
  };
}

function offerOf(url: Url): Offer {
  return { url, kind: 'page', depth: 0, cost: 0, hops: 0 };
}
