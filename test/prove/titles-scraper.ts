import type { Page, Tools } from 'webfarer';

/** One item for each page of text, so that a proof can tell lost items from repeated ones. */
export function onPage(page: Page, { push, follow }: Tools): void {
  if (page.mime === 'text/html') push({ url: page.url, length: page.body.length });
  follow(page.links);
}
