import { NumberCounts } from '../../stats/number-counts.ts';

/** Links between hosts: how many pages of one link to the other. */
export interface HostLinks {
  hosts: string[];
  /** `[from, to, links]`, hosts by their place in the list. No host links to itself here. */
  links: [number, number, number][];
  /** Links of hosts that did not fit. */
  leftOut: number;
}

const maxHosts = 30_000;
const maxPairs = 400_000;
/** Hosts whose pages were read have room beside those that are only linked to, however many there are. */
const maxCrawled = 30_000;
const base = maxHosts + maxCrawled;

/** Counts links between hosts in bounded memory. */
export class HostPairs {
  readonly #numbers = new Map<string, number>();
  readonly #pairs = new NumberCounts();
  #leftOut = 0;

  /** A page of `from` was read, and links to `to`. */
  add(from: string, to: string): void {
    this.join(this.crawled(from), this.linked(to));
  }

  /** The same, of hosts whose places are known. */
  join(from: number | undefined, to: number | undefined): void {
    if (from === undefined || to === undefined) this.#leftOut += 1;
    else if (from !== to) this.#count(from * base + to);
  }

  /** The place of a host that a page links to. */
  linked(host: string): number | undefined {
    return this.#number(host, maxHosts);
  }

  /** The place of a host of the crawl in the list; undefined: there is no room. */
  crawled(host: string): number | undefined {
    return this.#number(host, base);
  }

  #count(pair: number): void {
    if (this.#pairs.size >= maxPairs && this.#pairs.get(pair) === 0) this.#leftOut += 1;
    else this.#pairs.add(pair);
  }

  #number(host: string, max: number): number | undefined {
    const held = this.#numbers.get(host);
    if (held !== undefined) return held;
    if (this.#numbers.size >= max) return undefined;
    this.#numbers.set(host, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  result(): HostLinks {
    const links = [...this.#pairs.entries()].map(([pair, n]): [number, number, number] => [
      Math.floor(pair / base),
      pair % base,
      n,
    ]);
    return { hosts: [...this.#numbers.keys()], links, leftOut: this.#leftOut };
  }
}
