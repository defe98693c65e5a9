/**
 * Reads lists that show everything only after "Load more" was clicked again and again. Needs Chromium and playwright-core.
 *
 *   node examples/load-more.ts https://shop.example/
 */
import { crawl } from 'webfarer';

const site = process.argv[2] ?? 'https://shop.example/';
const mostClicks = 20;

const { items } = await crawl({
  name: 'lists',
  seeds: [site],
  limits: { pages: 500 },
  // A shop on your own machine must be named; everything private is out of reach otherwise.
  fetch: { allowPrivate: process.argv.slice(3), timeout: '60s' },
  render: 'auto',
  labels: { list: '/list/**' },
  inBrowser: {
    // Runs in the browser on each page with the label, before the page is read.
    async list(browser) {
      const more = browser.getByRole('button', { name: 'Load more' });
      for (let n = 0; n < mostClicks && (await more.isVisible()); n++) {
        const known = await browser.locator('li').count();
        await more.click();
        await browser.locator('li').nth(known).waitFor();
      }
    },
  },
  // Runs on the page as it was left.
  async onPage(page, { follow, push }) {
    follow(page.links);
    if (page.label === 'list') push({ url: page.url, entries: (await page.$())('li').length });
  },
});

for await (const item of items) console.log(JSON.stringify(item));
