/**
 * Takes the pictures of reports for the docs: `node scripts/report-pictures.ts WEB.crawl SITE.crawl`, the folders of a
 * crawl of many hosts and of one site, each with its report.html, the second with its graph.html too. Writes
 * docs/pictures/*.png; needs Chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../test/outside/browser.ts';
import { withPalette } from './picture/png-palette.ts';

const target = resolve(import.meta.dirname, '..', 'docs', 'pictures');
const maxBytes = 300_000;

interface Picture {
  name: string;
  file: string;
  scheme: 'light' | 'dark';
  /** Selector of what stands at the top of the picture. */
  from?: string;
  height: number;
}

function picturesOf(web: string, site: string): Picture[] {
  const [all, one] = [join(web, 'report.html'), join(site, 'report.html')];
  return [
    { name: 'report-web-light', file: all, scheme: 'light', height: 1_240 },
    { name: 'report-web-dark', file: all, scheme: 'dark', from: '#structure', height: 1_480 },
    { name: 'report-site-light', file: one, scheme: 'light', from: '#structure', height: 1_480 },
    { name: 'report-site-dark', file: one, scheme: 'dark', height: 1_210 },
    { name: 'explorer', file: join(site, 'graph.html'), scheme: 'light', height: 760 },
  ];
}

async function take(browser: Browser, { name, file, scheme, from, height }: Picture): Promise<void> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width: 1_280, height },
    offline: true,
  });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(file)).href);
  // The bar of sections would stand on what is scrolled to.
  if (from !== undefined)
    await page.evaluate(
      `scrollTo(0, document.querySelector('${from}').getBoundingClientRect().top + scrollY - 72)`,
    );
  const path = join(target, `${name}.png`);
  const picture = withPalette(await page.screenshot());
  await context.close();
  writeFileSync(path, picture);
  console.log(`${path}  ${picture.length} bytes`);
  if (picture.length > maxBytes) process.exitCode = 1;
}

const [web, site] = process.argv.slice(2);
if (web === undefined || site === undefined)
  throw new Error('usage: node scripts/report-pictures.ts WEB SITE');
mkdirSync(target, { recursive: true });
const browser = await openBrowser();
try {
  for (const picture of picturesOf(web, site)) await take(browser, picture);
} finally {
  await browser.close();
}
