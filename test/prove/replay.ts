// watches: packages/worker/src/browser, packages/worker/src/save, packages/worker/src/archive
// misses: archived pages that look different when they are replayed
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Browser } from 'playwright-core';
import { readWarc } from '@webfarer/worker/archive';
import { type BrowserWeb, startBrowserWeb } from '../browser-web/browser-web.ts';
import type { PageKind, TruePage } from '../browser-web/pages.ts';
import { openBrowser } from '../outside/browser.ts';
import { warcPaths } from '../outside/compare.ts';
import { difference, readPng } from '../outside/png.ts';
import { startPywb } from '../outside/pywb.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startCrawler, until, workFolder, writeJob } from './lab.ts';

/** Pages of each kind that are looked at. */
const sizes = { quick: { pages: 24, each: 1 }, full: { pages: 120, each: 4 } } as const;
/** Of the pixels of a picture, how many may differ between the visit and its replay: 92 of 921,600. */
const mostDifference = 0.0001;
/** Drawn by its script alone. */
const leftOut = { kind: 'router', script: '/static/app.js' } as const;

/**
 * Pages of a web that needs a browser are crawled into WARC files, and each is opened again from pywb in a Chromium that
 * reaches nothing else: it must look as it looked in the crawl, by the screenshot that the crawl took, and ask for nothing
 * outside, by its own requests and by the log of the web. Control: in an archive without the record of one script, the
 * pages that it draws must look different.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('replay');
  const web = await startBrowserWeb({ pages: size.pages, sites: 1 });
  try {
    const files = await crawl(web, join(work.path, 'web.crawl'));
    const views = await viewsIn(files);
    const wanted = chosen(web, size.each).filter(({ url }) => views.has(url));
    const without = await withoutRecord(
      files,
      join(work.path, 'without'),
      web.urlOf({ site: 0 }, leftOut.script),
    );
    web.takeLog();
    const pywb = await startPywb(join(work.path, 'pywb'), { whole: files, without: without.files });
    const browser = await openBrowser();
    try {
      const looks = [];
      for (const { url, page } of wanted)
        looks.push({
          url,
          kind: page.kind,
          ...(await look(browser, pywb.origin, `whole/${url}`, views.get(url))),
        });
      const drawn = wanted.filter(({ page }) => page.kind === leftOut.kind);
      const controls = [];
      for (const { url } of drawn)
        controls.push(await look(browser, pywb.origin, `without/${url}`, views.get(url)));
      const unequal = looks.filter(({ differs }) => differs > mostDifference);
      const outside = [...looks, ...controls].flatMap((one) => one.outside);
      const asked = web.takeLog().length;
      const kinds = new Set(looks.map(({ kind }) => kind));
      const control = Math.min(...controls.map(({ differs }) => differs));
      return {
        ok:
          unequal.length === 0 &&
          outside.length + asked === 0 &&
          kinds.size >= 7 &&
          without.dropped > 0 &&
          controls.length > 0 &&
          control > mostDifference,
        result: {
          pages: looks.length,
          kinds: [...kinds],
          pixels: 1_280 * 720,
          mostDifference,
          unequal: unequal.length,
          examples: unequal
            .slice(0, 5)
            .map(({ url, differs, kind }) => ({ kind, url, differs: round(differs) })),
          largest: round(Math.max(...looks.map(({ differs }) => differs))),
          outside: outside.length,
          asked,
          controlDiffers: round(control),
          sizes: size,
        },
      };
    } finally {
      await browser.close();
      await pywb.stop();
    }
  } finally {
    await web.stop();
    work.remove();
  }
}

const round = (share: number): number => Math.round(share * 1e6) / 1e6;

async function crawl(web: BrowserWeb, folder: string): Promise<string[]> {
  const file = `${folder}.json`;
  await writeJob(file, {
    name: 'replay',
    seeds: web.seeds,
    contact: 'https://lab.test/crawler',
    render: 'always',
    screenshots: 'view',
    politeness: { gap: '20ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { ...web.fetch, timeout: '60s' },
  });
  const crawler = startCrawler(file, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
  return await warcPaths(folder);
}

/** The screenshots of an archive by the URL of their page. */
async function viewsIn(files: readonly string[]): Promise<Map<string, Buffer>> {
  const views = new Map<string, Buffer>();
  for (const file of files) {
    for await (const record of readWarc(file)) {
      const uri = record.field('warc-target-uri') ?? '';
      if (record.type !== 'resource' || !uri.startsWith('urn:view:')) continue;
      const pieces: Buffer[] = [];
      for await (const piece of record.block()) pieces.push(piece);
      views.set(uri.slice('urn:view:'.length), Buffer.concat(pieces));
    }
  }
  return views;
}

/** So many pages of every kind, in the order of the web. */
function chosen(web: BrowserWeb, each: number): { url: string; page: TruePage }[] {
  const counts = new Map<PageKind, number>();
  return [...web.pages]
    .filter(([, { kind }]) => {
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      return count < each;
    })
    .map(([url, page]) => ({ url, page }));
}

/** Copies of archives without the records of one URL. */
async function withoutRecord(
  files: readonly string[],
  folder: string,
  url: string,
): Promise<{ files: string[]; dropped: number }> {
  let dropped = 0;
  const copies: string[] = [];
  await mkdir(folder, { recursive: true });
  for (const file of files) {
    const copy = join(folder, `without-${basename(file)}`);
    for await (const record of readWarc(file)) {
      const { offset } = record;
      const isIt = record.field('warc-target-uri') === url;
      const length = await record.finish();
      if (isIt) dropped += 1;
      else
        await pipeline(
          createReadStream(file, { start: offset, end: offset + length - 1 }),
          createWriteStream(copy, { flags: 'a' }),
        );
    }
    copies.push(copy);
  }
  return { files: copies, dropped };
}

interface Look {
  differs: number;
  /** Requests to anything but pywb. */
  outside: string[];
}

async function look(browser: Browser, origin: string, path: string, view: Buffer | undefined): Promise<Look> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const outside: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (/^(?:https?|wss?):/.test(url) && !url.startsWith(`${origin}/`)) outside.push(url);
    });
    await page.goto(`${origin}/${path}`, { waitUntil: 'networkidle', timeout: 120_000 });
    const live = view && readPng(view);
    if (!live) return { differs: 1, outside };
    let differs = 1;
    const taken = async () => {
      const png = await page.screenshot({ type: 'png', animations: 'disabled', caret: 'hide' });
      differs = difference(live, readPng(png));
      return differs <= mostDifference;
    };
    // A busy machine draws late; what is never drawn stays different.
    await until('the page looks as it did', taken, 5_000).catch(() => undefined);
    return { differs, outside };
  } finally {
    await context.close();
  }
}
