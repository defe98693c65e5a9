import type { Page } from '@webfarer/worker';

/** The text of a page that a search looks through; undefined where the page is of a type that has none. */
export async function pageText(page: Page): Promise<string | undefined> {
  if (/html/.test(page.mime)) return await page.text();
  return page.mime.startsWith('text/') ? page.source() : undefined;
}
