/** A scraper for a job file (`scraper: ./titles.ts`): keeps the title of every page and follows its links. */
import type { Page, Tools } from 'webfarer';

export async function onPage(
  page: Page,
  { push, follow }: Tools<{ url: string; title: string }>,
): Promise<void> {
  if (page.mime === 'text/html') {
    const $ = await page.$();
    push({ url: page.url, title: $('title').text().trim() });
  }
  follow(page.links);
}
