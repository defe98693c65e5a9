import { randomNumbers, shuffle } from '../random.ts';
import type { HostKey, Offer, Url } from '../../packages/protocol/src/index.ts';

/** Links as a crawl meets them: some new, the others known already, in random order. */
export interface LinkSource {
  readonly known: number;
  batch(fresh: number, duplicates: number): Link[];
}

export interface Link {
  host: HostKey;
  url: Url;
  offer: Offer;
}

export interface LinkOptions {
  hosts: number;
  seed?: number;
}

export function linkSource({ hosts, seed = 42 }: LinkOptions): LinkSource {
  const random = randomNumbers(seed);
  let known = 0;
  return {
    get known() {
      return known;
    },
    batch(fresh, duplicates) {
      const numbers: number[] = [];
      const before = Math.max(1, known);
      for (let i = 0; i < fresh; i++) numbers.push(known++);
      for (let i = 0, n = 0; i < duplicates; i++, n++) {
        if (i % linksToHost === 0) n = Math.floor(random() * before);
        numbers.push(n % before);
      }
      shuffle(numbers, random);
      return numbers.map((n) => linkOf(n, hosts));
    },
  };
}

/** Links of a page come in clumps: so many of one go to the same host. */
const linksToHost = 3;

/** The n-th URL of the web. Hosts are drawn with a skew: a tenth of them has a third of the URLs. */
function linkOf(n: number, hosts: number): Link {
  const spread = ((Math.imul(Math.floor(n / linksToHost), 0x9e3779b1) >>> 0) / 2 ** 32) ** 2;
  const host = `www.site-${Math.floor(spread * hosts)}.example` as HostKey;
  const url = `https://${host}/section-${n % 37}/article-${n.toString(36)}` as Url;
  return {
    host,
    url,
    offer: { url, kind: 'page', depth: 2, cost: 0, hops: 0 },
  };
}
