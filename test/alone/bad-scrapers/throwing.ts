/** Throws for every page. */
export function onPage(): never {
  throw new Error('this scraper is broken');
}
