import type { Page, Tools } from '@webfarer/worker';

/** Collects products by their label, as the example in the README does. */
export function onPage(page: Page, { follow, push }: Tools): void {
  if (page.label === 'product') return push({ product: page.url });
  follow(page.links.matching('/p/*'), { label: 'product' });
  follow(page.links.matching('/category/*'));
}
