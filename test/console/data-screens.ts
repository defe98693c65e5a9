import type { Page } from 'playwright-core';
import type { Described, Subject } from './screen.ts';

async function openItems(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Items', exact: true }).click();
  await page.locator('.data-row').nth(5).waitFor();
}

/** Workers keep what they fetch, unless a job says otherwise. */
const files = (page: Page) =>
  page
    .locator('table.files tbody tr')
    .first()
    .or(page.getByText('This coordinator holds no files of the crawl'))
    .waitFor();

async function openFiles(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Files/ }).click();
  await files(page);
}

/** The parts of Data, of a crawl that runs and of one that is compared. */
export function dataScreens({ crawl, compared }: Subject): Described[] {
  const at = `/crawls/${crawl}/data`;
  return [
    {
      name: 'items',
      path: at,
      shows: (page) => page.locator('.data-row').nth(5).waitFor(),
      async act(page) {
        await page.locator('.row-button').first().click();
        await page.locator('.item-whole').waitFor();
      },
    },
    {
      name: 'texts',
      path: `${at}?view=texts`,
      shows: (page) =>
        page.getByText(/^(This crawl saved no texts|No texts among the first pages)$/).waitFor(),
      act: openItems,
    },
    {
      name: 'files',
      path: `${at}?view=files`,
      shows: files,
      act: openItems,
    },
    {
      name: 'graph',
      path: `${at}?view=graph`,
      shows: (page) => page.locator('.host-map circle').nth(2).waitFor(),
      async act(page) {
        await page.getByRole('searchbox', { name: 'Find a host' }).fill('e');
        await page.keyboard.press('Enter');
        await page.waitForURL(/host=/);
        await page.getByRole('link', { name: 'URLs of this host' }).waitFor();
      },
    },
    {
      name: 'statistics',
      path: `${at}?view=statistics`,
      shows: (page) => page.locator('.stat-hosts').waitFor(),
      async act(page) {
        await page.getByText('Slowest').click();
        await page.locator('.stat-hosts table.slowest tbody tr').nth(1).waitFor();
      },
    },
    // Of two that are over, and of one that runs; or of one that has nothing to be compared with.
    ...[...new Set([compared, crawl])].map(
      (each): Described => ({
        name: each === compared ? 'compare' : 'compare-running',
        path: `/crawls/${each}/data?view=compare`,
        shows: (page) =>
          (compared === crawl
            ? page.getByText('There is no earlier crawl').first()
            : page.locator('.compare-sums')
          ).waitFor(),
        act: openFiles,
      }),
    ),
  ];
}
