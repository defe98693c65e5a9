import { documentKind, type Page } from '@webfarer/worker';

/** The text of a page that a search looks through; undefined where the page is of a type that has none. */
export async function pageText(page: Page): Promise<string | undefined> {
  const kind = documentKind(page.mime, page.body);
  if (kind === undefined) return undefined;
  if (kind === 'plain') return page.source();
  try {
    return await page.text();
  } catch {
    // A damaged document has no text. That the reader of PDFs is missing is no reason to find nothing at all.
    return undefined;
  }
}
