import type { Url } from '@webfarer/protocol';

export interface RedirectChain {
  from: Url;
  to: Url;
  hops: number;
  /** It comes back to where it was. */
  loops: boolean;
}

const mostHops = 30;

/** Redirects of a crawl, and where they lead one after another. */
export class Redirects {
  readonly #max: number;
  readonly #next = new Map<Url, Url>();
  total = 0;

  constructor(max = 50_000) {
    this.#max = max;
  }

  add(from: Url, to: Url): void {
    this.total += 1;
    if (this.#next.size < this.#max) this.#next.set(from, to);
  }

  /** Chains of two and more, and circles; the longest first, each from its beginning only. */
  chains(): RedirectChain[] {
    const inner = new Set(this.#next.values());
    const found: RedirectChain[] = [];
    for (const from of this.#next.keys()) {
      const chain = this.#follow(from);
      if (chain.loops || (chain.hops > 1 && !inner.has(from))) found.push(chain);
    }
    return found.sort(
      (a, b) => Number(b.loops) - Number(a.loops) || b.hops - a.hops || (a.from < b.from ? -1 : 1),
    );
  }

  /** How many begin a chain of each length; circles are counted as 0. */
  lengths(): number[] {
    const inner = new Set(this.#next.values());
    const found: number[] = [];
    for (const from of this.#next.keys()) {
      const { hops, loops } = this.#follow(from);
      if (!loops && inner.has(from)) continue;
      const at = loops ? 0 : hops;
      while (found.length <= at) found.push(0);
      found[at] = (found[at] ?? 0) + 1;
    }
    return found;
  }

  #follow(from: Url): RedirectChain {
    const seen = new Set<Url>([from]);
    let to = from;
    for (let hops = 0; hops < mostHops; hops++) {
      const next = this.#next.get(to);
      if (next === undefined) return { from, to, hops, loops: false };
      if (seen.has(next)) return { from, to: next, hops: hops + 1, loops: true };
      seen.add((to = next));
    }
    return { from, to, hops: mostHops, loops: false };
  }
}
