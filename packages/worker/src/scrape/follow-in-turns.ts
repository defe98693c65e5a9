import { nextTurn } from '../extract/turns.ts';
import { ItemProblem } from './item-problem.ts';
import type { PageLink } from './scraper.ts';

/** Others have their turn after so long. */
const turnMs = 25;
/** For the links of one page. */
const maxMs = 10_000;
/** A look at the clock costs as much as a tenth of a link. */
const linksBetweenLooks = 4;
/** Where a link takes longer than this, a look costs nothing. */
const slowMs = 1;

/**
 * Works on the links of one page. All patterns of the job are tried on each of them, and a page may have very many long ones:
 * after a while everything else has its turn, and a page on which they take too long is given up. Most pages are done at once.
 */
export interface Pace {
  /** Those that fit, in their order. `work` is called again for the rest of them, and takes all that it is given. */
  each<T>(
    all: Iterable<T>,
    work: (some: Iterable<T>) => void,
    fits?: (one: T) => boolean,
  ): void | Promise<void>;
}

const anything = () => true;

export function createPace(): Pace {
  const spent: Spent = { ms: 0 };
  return {
    each(all, work, fits = anything) {
      const slices = new Slices(all[Symbol.iterator](), fits, spent);
      work(slices.next());
      return slices.isDone ? undefined : workOnRest(slices, work, spent);
    },
  };
}

/** Follows the links of a page that fit. */
export function followInTurns(
  links: Iterable<PageLink>,
  follow: (links: Iterable<PageLink>) => void,
  fits?: (url: string) => boolean,
): void | Promise<void> {
  return createPace().each(links, follow, fits && (({ url }) => fits(url)));
}

interface Spent {
  ms: number;
}

async function workOnRest<T>(
  slices: Slices<T>,
  work: (some: Iterable<T>) => void,
  spent: Spent,
): Promise<void> {
  while (!slices.isDone) {
    if (spent.ms > maxMs)
      throw new ItemProblem(
        `the links of this page took longer than ${maxMs / 1_000} s: the patterns of the job are too slow for them`,
      );
    await nextTurn();
    work(slices.next());
  }
}

class Slices<T> {
  isDone = false;
  readonly #all: Iterator<T>;
  readonly #fits: (one: T) => boolean;
  readonly #spent: Spent;

  constructor(all: Iterator<T>, fits: (one: T) => boolean, spent: Spent) {
    this.#all = all;
    this.#fits = fits;
    this.#spent = spent;
  }

  /** As many as there is time for. */
  *next(): Generator<T> {
    const beganMs = performance.now(); // allow(time): what is measured is this process, not the web
    for (let count = 1, look = 1; ; count++) {
      const { done, value } = this.#all.next();
      if (done) {
        this.isDone = true;
        return;
      }
      if (this.#fits(value)) yield value;
      if (count < look) continue;
      const tookMs = performance.now() - beganMs; // allow(time): the same measure of this process
      look = count + (tookMs < slowMs * count ? linksBetweenLooks : 1);
      if (tookMs < turnMs) continue;
      this.#spent.ms += tookMs;
      return;
    }
  }
}
