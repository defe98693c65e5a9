import type { Edge, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { isReaderLink } from '../../dependency/reader-links.ts';
import type { BrokenLinks } from './broken-links.ts';
import { InDegrees } from './in-degrees.ts';

/** Links between hosts: how many pages of one link to the other. */
export interface HostLinks {
  hosts: string[];
  /** `[from, to, links]`, hosts by their place in the list. No host links to itself here. */
  links: [number, number, number][];
  /** Links of hosts that did not fit. */
  leftOut: number;
}

/** What a report shows of the links, gathered in one pass and in bounded memory. */
export interface LinkSurvey {
  links: number;
  inDegrees: InDegrees;
  hosts: HostLinks;
  /** In a sitemap, but linked from no page that was read. */
  onlyInSitemap: { rows: Url[]; total: number };
}

const maxHosts = 30_000;
const maxPairs = 400_000;
const maxListed = 100_000;

export async function surveyLinks(
  pages: AsyncIterable<{ from: Url; edges: Edge[] }>,
  { broken, maxRows }: { broken: BrokenLinks; maxRows: number },
): Promise<LinkSurvey> {
  const inDegrees = new InDegrees();
  const pairs = new HostPairs();
  const listed = new Set<Url>();
  let links = 0;
  for await (const { from, edges } of pages) {
    const here = new Set<string>();
    broken.linkedFrom(from, edges);
    for (const { to, rel } of edges) {
      if (rel === 'sitemap' && listed.size < maxListed) listed.add(to);
      if (!isReaderLink(rel)) continue;
      links += 1;
      if (here.has(to)) continue;
      here.add(to);
      inDegrees.add(to);
      pairs.add(hostOf(from), hostOf(to));
    }
  }
  const orphans = [...listed].filter((url) => inDegrees.of(url) === 0);
  return {
    links,
    inDegrees,
    hosts: pairs.result(),
    onlyInSitemap: { rows: orphans.slice(0, maxRows), total: orphans.length },
  };
}

class HostPairs {
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new Map<number, number>();
  #leftOut = 0;

  add(from: string, to: string): void {
    const [a, b] = [this.#number(from), this.#number(to)];
    if (a === undefined || b === undefined) this.#leftOut += 1;
    else if (a !== b) this.#count(a * maxHosts + b);
  }

  #count(pair: number): void {
    const held = this.#pairs.get(pair);
    if (held === undefined && this.#pairs.size >= maxPairs) this.#leftOut += 1;
    else this.#pairs.set(pair, (held ?? 0) + 1);
  }

  #number(host: string): number | undefined {
    const held = this.#numbers.get(host);
    if (held !== undefined) return held;
    if (this.#numbers.size >= maxHosts) return undefined;
    this.#numbers.set(host, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  result(): HostLinks {
    const links = [...this.#pairs].map(([pair, n]): [number, number, number] => [
      Math.floor(pair / maxHosts),
      pair % maxHosts,
      n,
    ]);
    return { hosts: [...this.#numbers.keys()], links, leftOut: this.#leftOut };
  }
}
