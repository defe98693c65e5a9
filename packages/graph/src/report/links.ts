import { type Edge, hostOf, type Url } from '@webfarer/protocol';
import { isReaderLink } from '../dependency/reader-links.ts';
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
  /** Some of the pages that link to each URL that was asked about. */
  pagesTo: Map<Url, Url[]>;
  /** In a sitemap, but linked from no page that was read. */
  onlyInSitemap: { rows: Url[]; total: number };
}

const maxHosts = 30_000;
const maxPairs = 400_000;
const maxListed = 100_000;

/** Pages that are named for a link. */
const maxPages = 5;

export async function surveyLinks(
  pages: AsyncIterable<{ from: Url; edges: Edge[] }>,
  { asked, maxRows }: { asked: ReadonlySet<Url>; maxRows: number },
): Promise<LinkSurvey> {
  const pagesTo = new Map<Url, Url[]>([...asked].map((url) => [url, []]));
  const inDegrees = new InDegrees();
  const pairs = new HostPairs();
  const listed = new Set<Url>();
  let links = 0;
  for await (const { from, edges } of pages) {
    const here = new Set<string>();
    for (const { to, rel } of edges) {
      const known = pagesTo.get(to);
      if (known && known.length < maxPages && !known.includes(from)) known.push(from);
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
    pagesTo,
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
