import { nextTurn } from '../extract/turns.ts';
import { ItemProblem } from './item-problem.ts';
import type { PageLink } from './scraper.ts';

/** Others have their turn after so long. */
const turnMs = 25;
/** For the links of one page. */
const maxMs = 10_000;
/** A look at the clock costs as much as a tenth of a link. */
const linksBetweenLooks = 4;

const anything = () => true;

/**
 * Follows the links of a page that fit. All patterns of the job are tried on each of them, and a page may have very many long ones:
 * after a while everything else has its turn, and a page on which they take too long is given up. Most pages are done at once.
 */
export function followInTurns(
  links: Iterable<PageLink>,
  follow: (links: Iterable<PageLink>) => void,
  fits: (url: string) => boolean = anything,
): void | Promise<void> {
  const slices = new Slices(links[Symbol.iterator](), fits);
  follow(slices.next());
  return slices.isDone ? undefined : followRest(slices, follow);
}

async function followRest(slices: Slices, follow: (links: Iterable<PageLink>) => void): Promise<void> {
  while (!slices.isDone) {
    if (slices.spentMs > maxMs)
      throw new ItemProblem(
        `the links of this page took longer than ${maxMs / 1_000} s: the patterns of the job are too slow for them`,
      );
    await nextTurn();
    follow(slices.next());
  }
}

class Slices {
  isDone = false;
  spentMs = 0;
  readonly #links: Iterator<PageLink>;
  readonly #fits: (url: string) => boolean;

  constructor(links: Iterator<PageLink>, fits: (url: string) => boolean) {
    this.#links = links;
    this.#fits = fits;
  }

  /** As many as there is time for. */
  *next(): Generator<PageLink> {
    const beganMs = performance.now(); // allow(time): what is measured is this process, not the web
    for (let count = 1; ; count++) {
      const { done, value } = this.#links.next();
      if (done) {
        this.isDone = true;
        return;
      }
      if (this.#fits(value.url)) yield value;
      if (count % linksBetweenLooks !== 0) continue;
      const tookMs = performance.now() - beganMs; // allow(time): the same measure of this process
      if (tookMs < turnMs) continue;
      this.spentMs += tookMs;
      return;
    }
  }
}
