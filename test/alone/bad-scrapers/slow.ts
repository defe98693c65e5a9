import type { Page, Tools } from 'webfarer';

const busyMs = 120;

/** Computes for long on each page, without a pause. */
export function onPage(page: Page, { follow }: Tools): void {
  const end = performance.now() + busyMs;
  while (performance.now() < end);
  follow(page.links);
}
