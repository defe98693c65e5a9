import { chromium } from 'playwright-core';
import { isInside, launchOptions, readPage, readPeerTask } from './peer-task.ts';

/**
 * Playwright alone, as a careful person would write it: one browser, one context, a page for each URL, until half a second
 * passes without a request. No robots.txt, no gaps, no store, no archive.
 */
const { seeds, concurrency, onlySeeds } = readPeerTask();
const browser = await chromium.launch(launchOptions());
const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false });
const known = new Set(seeds);
const queue = [...seeds];
let [open, bytes, pages] = [0, 0, 0];

async function show(url: string): Promise<void> {
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: 'networkidle', timeout: 60_000 });
    const { html, links } = await page.evaluate<{ html: string; links: string[] }>(readPage);
    bytes += html.length;
    pages += 1;
    for (const link of links) {
      const [target = ''] = link.split('#');
      if (onlySeeds || known.has(target) || !isInside(url, target)) continue;
      known.add(target);
      queue.push(target);
    }
  } finally {
    await page.close();
  }
}

await new Promise<void>((resolve, reject) => {
  const more = (): void => {
    if (open === 0 && queue.length === 0) return resolve();
    while (open < concurrency && queue.length > 0) {
      open += 1;
      show(queue.shift() as string).then(() => {
        open -= 1;
        more();
      }, reject);
    }
  };
  more();
});
await browser.close();
console.log(JSON.stringify({ pages, bytes }));
