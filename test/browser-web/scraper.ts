import type { Page, Tools } from 'webfarer';

/** What was found on each page, for a judge who knows what is there. */
export async function onPage(page: Page, { push, follow }: Tools): Promise<void> {
  push({ url: page.url, links: page.links.urls(), text: await page.text() });
  follow(page.links);
}
