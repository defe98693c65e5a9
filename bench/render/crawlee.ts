import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crawleeFolder } from './install-crawlee.ts';
import { isInside, launchOptions, readPage, readPeerTask } from './peer-task.ts';

/** The part of @crawlee/playwright that is used here; it is installed beside the project, not in it. */
interface Crawlee {
  PlaywrightCrawler: new (
    options: Record<string, unknown>,
    configuration: unknown,
  ) => { run(requests: string[]): Promise<unknown> };
  Configuration: new (options: Record<string, unknown>) => unknown;
  log: { setLevel(level: number): void };
}

interface Context {
  request: { url: string };
  page: {
    waitForLoadState(state: 'networkidle'): Promise<void>;
    evaluate<T>(script: string): Promise<T>;
  };
  addRequests(urls: string[]): Promise<void>;
}

/** PlaywrightCrawler at its best here: storage in memory only, fixed concurrency, no fingerprints, no sessions, no log. */
const path = join(crawleeFolder, 'node_modules/@crawlee/playwright/index.mjs');
const { PlaywrightCrawler, Configuration, log } = (await import(pathToFileURL(path).href)) as Crawlee;
const { seeds, concurrency } = readPeerTask();
let [bytes, pages] = [0, 0];
log.setLevel(0);
const crawler = new PlaywrightCrawler(
  {
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    autoscaledPoolOptions: { desiredConcurrency: concurrency },
    useSessionPool: false,
    persistCookiesPerSession: false,
    maxRequestRetries: 0,
    browserPoolOptions: { useFingerprints: false },
    // It has a proxy of its own, which does not know the names of the web.
    launchContext: {
      launchOptions: { ...launchOptions(), headless: true, proxy: { bypass: '.browser.test' } },
    },
    statisticsOptions: { saveErrorSnapshots: false, logIntervalSecs: 3_600 },
    async requestHandler({ request, page, addRequests }: Context) {
      await page.waitForLoadState('networkidle');
      const { html, links } = await page.evaluate<{ html: string; links: string[] }>(readPage);
      bytes += html.length;
      pages += 1;
      const targets = links.map((link) => link.split('#')[0] ?? '');
      const followed = [...new Set(targets)].filter((target) => isInside(request.url, target));
      if (followed.length > 0) await addRequests(followed);
    },
  },
  new Configuration({ persistStorage: false, memoryMbytes: 4_096 }),
);
await crawler.run(seeds);
console.log(JSON.stringify({ pages, bytes }));
process.exit(0);
