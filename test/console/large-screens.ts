import type { Page } from 'playwright-core';
import { largeCrawl, type LargeSize } from './large-world.ts';

/** A screen, how one knows that it shows something, and a click or a key with what must follow from it. */
export interface LargeScreen {
  name: string;
  path: string;
  shows: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<unknown>;
}

const ofLarge = `/crawls/${largeCrawl}`;
const grouped = (n: number): string => n.toLocaleString('en-US');

export function largeScreens(size: LargeSize): LargeScreen[] {
  const all = size.crawls + 1;
  return [
    {
      name: 'home',
      path: '/',
      async shows(page) {
        await page.locator('.crawl-card .state').nth(5).waitFor();
        await page.getByText(`${grouped(all)} crawls, 1 running`, { exact: true }).waitFor();
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
      path: ofLarge,
      shows: (page) => page.locator('.legend dd', { hasText: grouped(size.known) }).waitFor(),
      async act(page) {
        await page.getByRole('button', { name: 'Stop' }).click();
        await page.getByRole('dialog').getByText('Cancel', { exact: true }).click();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      },
    },
    {
      name: 'urls',
      path: `${ofLarge}/urls`,
      shows: (page) => page.locator('[data-row="10"] a').waitFor(),
      async act(page) {
        await page.getByRole('link', { name: /^Queued/ }).click();
        await page.locator('[data-row="10"] a').waitFor();
      },
    },
    {
      name: 'url',
      path: `${ofLarge}/url?url=${encodeURIComponent('http://h0.site0.example/page-0')}`,
      shows: (page) => page.locator('.two .column').first().waitFor(),
      async act(page) {
        await page.getByRole('link', { name: 'URLs', exact: true }).first().click();
        await page.locator('[data-row="10"] a').waitFor();
      },
    },
    {
      name: 'hosts',
      path: `${ofLarge}/hosts`,
      shows: (page) => page.locator('table.hosts tbody tr').nth(10).waitFor(),
      async act(page) {
        await page.locator('table.hosts tbody tr').nth(2).getByRole('button', { name: 'Slow down' }).click();
        await page.getByRole('dialog').getByText('Cancel', { exact: true }).click();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      },
    },
    {
      name: 'network',
      path: '/network',
      shows: (page) =>
        page
          .getByText(`${grouped(size.workers)} workers`)
          .first()
          .waitFor(),
      async act(page) {
        await page.getByRole('searchbox').fill('light-1');
        await page
          .getByText(/^\d+ of /)
          .first()
          .waitFor();
      },
    },
    {
      name: 'items',
      path: `${ofLarge}/data`,
      shows: (page) => page.locator('.data-row').nth(5).waitFor(),
      async act(page) {
        await page.locator('.row-button').first().click();
        await page.locator('.item-whole').waitFor();
      },
    },
    {
      name: 'job',
      path: `${ofLarge}/job`,
      shows: (page) => page.locator('.yaml-view').waitFor(),
      async act(page) {
        await page.getByText('Edit as a new crawl').click();
        await page.locator('.job-sides').waitFor();
      },
    },
    {
      name: 'scope',
      path: `${ofLarge}/scope`,
      shows: (page) => page.getByRole('textbox', { name: 'Never these URLs' }).waitFor(),
      async act(page) {
        await page.getByRole('textbox', { name: 'Never these URLs' }).fill('/section-3/**');
        await page
          .getByText(/URLs would be dropped/)
          .first()
          .waitFor();
      },
    },
    {
      name: 'schedules',
      path: '/schedules',
      shows: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
      async act(page) {
        await page.goto(`${new URL(page.url()).origin}/schedules?create=true`);
        await page.locator('.next-runs time').nth(9).waitFor();
      },
    },
    {
      name: 'admin',
      path: '/admin?show=tokens',
      shows: (page) => page.locator('#tokens').waitFor(),
      async act(page) {
        await page.getByRole('link', { name: 'Audit' }).click();
        await page.locator('table.audit tbody tr').first().waitFor();
      },
    },
  ];
}
