import { documentKind, type Page } from '@webfarer/worker';

/**
 * The text of a page that a search looks through: its main content, because every page of a site has the words of its
 * navigation; all of it where it has no main content. Undefined where the page is of a type that has no text.
 */
export async function pageText(page: Page): Promise<string | undefined> {
  const kind = documentKind(page.mime, page.body);
  if (kind === undefined) return undefined;
  if (kind === 'plain') return page.source();
  try {
    const main = kind === 'html' ? (await page.main()).text : '';
    if (main === '') return await page.text();
    // The title is indexed beside the text.
    const { title = '' } = page;
    return main.startsWith(`${title}\n`) ? main.slice(title.length).trimStart() : main;
  } catch {
    // A damaged document has no text. That the reader of PDFs is missing is no reason to find nothing at all.
    return undefined;
  }
}
