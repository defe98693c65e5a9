import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peersFolder } from './peers.ts';
import { finish, readTask } from './work.ts';

/** The part of @crawlee/cheerio that is used here; it is installed beside the project, not in it. */
interface Crawlee {
  CheerioCrawler: new (
    options: Record<string, unknown>,
    configuration: unknown,
  ) => { run(requests: string[]): Promise<unknown> };
  Configuration: new (options: Record<string, unknown>) => unknown;
  log: { setLevel(level: number): void };
}

interface Context {
  request: { url: string };
  response: { statusCode?: number };
  $: (selector: string) => {
    each(visit: (index: number, element: { attribs: Record<string, string> }) => void): void;
  };
  addRequests(urls: string[]): Promise<void>;
}

/**
 * CheerioCrawler at its best here: storage in memory only, fixed concurrency, no sessions, no retries, no
 * browser-like headers, no log. It knows no limit per host, so only the total is the same.
 */
const path = join(peersFolder, 'crawlee/node_modules/@crawlee/cheerio/index.mjs');
const { CheerioCrawler, Configuration, log } = (await import(pathToFileURL(path).href)) as Crawlee;
const task = readTask();
const inside = new RegExp(task.inside);
const urls: string[] = [];
let links = 0;
log.setLevel(0);

const crawler = new CheerioCrawler(
  {
    minConcurrency: task.concurrency,
    maxConcurrency: task.concurrency,
    autoscaledPoolOptions: { desiredConcurrency: task.concurrency },
    useSessionPool: false,
    persistCookiesPerSession: false,
    maxRequestRetries: 0,
    ignoreSslErrors: true,
    statisticsOptions: { saveErrorSnapshots: false, logIntervalSecs: 3_600 },
    preNavigationHooks: [
      (_context: unknown, options: Record<string, unknown>) => {
        Object.assign(options, { useHeaderGenerator: false, http2: false });
      },
    ],
    async requestHandler({ request, response, $, addRequests }: Context) {
      if (response.statusCode !== 200) return;
      urls.push(request.url);
      let base = request.url;
      $('base[href]').each((_, element) => {
        base = URL.parse(element.attribs.href ?? '', request.url)?.href ?? base;
      });
      const found = new Set<string>();
      $('a[href], area[href]').each((_, element) => {
        const target = URL.parse(element.attribs.href ?? '', base);
        if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) return;
        target.hash = '';
        if (target.href !== request.url) found.add(target.href);
      });
      links += found.size;
      const followed = [...found].filter((url) => inside.test(url));
      if (followed.length > 0) await addRequests(followed);
    },
  },
  new Configuration({ persistStorage: false, memoryMbytes: 4_096 }),
);
await crawler.run(task.seeds);
finish(urls, links);
process.exit(0);
