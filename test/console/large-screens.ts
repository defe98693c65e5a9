import type { Page } from 'playwright-core';
import { largeCrawl, type LargeSize } from './large-world.ts';

/** A screen, how one knows that it shows something, and a click or a key with what must follow from it. */
export interface LargeScreen {
  name: string;
  path: string;
  shows: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<unknown>;
}

const grouped = (n: number): string => n.toLocaleString('en-US');

export function largeScreens(size: LargeSize): LargeScreen[] {
  const all = size.crawls + 1;
  return [
    {
      name: 'home',
      path: '/',
      async shows(page) {
        await page.locator('.crawl-card .state').nth(5).waitFor();
        await page.getByText(`${grouped(all)} crawls`, { exact: true }).waitFor();
      },
      async act(page) {
        await page.getByText('Running', { exact: true }).click();
        await page.getByText(`1 of ${grouped(all)} crawls`).waitFor();
      },
    },
    {
      name: 'search',
      path: '/',
      shows: (page) => page.locator('.crawl-card .state').nth(5).waitFor(),
      async act(page) {
        await page.getByRole('searchbox').fill(`crawl-${String(size.crawls - 1).padStart(5, '0')}`);
        await page.getByText(`1 of ${grouped(all)} crawls`).waitFor();
      },
    },
    {
      name: 'crawl',
      path: `/crawls/${largeCrawl}`,
      shows: (page) => page.locator('.legend dd', { hasText: grouped(size.known) }).waitFor(),
      async act(page) {
        await page.getByRole('button', { name: 'Stop' }).click();
        await page.getByRole('dialog').getByText('Cancel', { exact: true }).click();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      },
    },
  ];
}
