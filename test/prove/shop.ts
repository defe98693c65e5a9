// watches: packages/worker/src/page, packages/worker/src/scrape, packages/worker/src/fields, packages/worker/src/fetch
// watches: packages/coordinator/src/crawl/job, packages/coordinator/src/frontier, packages/cli/src/handlers
// misses: items that are lost or doubled in scraping
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import type { RedisServers } from '../redis/servers.ts';
import { argument, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';
import { startStore } from './shared-crawl.ts';
import { isBounded, isEqual, replayMemory, replayShop } from './shop-replay.ts';
import type { ListPlace } from './shop-scraper.ts';
import { type ShopSite, type SitemapOrder, sitemapOrders, startShop } from './shop-site.ts';

const sizes = {
  quick: { products: 24, categories: 4, kills: 1 },
  full: { products: 300, categories: 30, kills: 20 },
} as const;
/** Replayed in the full form. */
const archives = { few: 1_000, many: 10_000, productBytes: 30_000 } as const;
const runsAtMost = 5;

/** The product without the rule: a label that comes late is lost. */
const noUpgrades = {
  file: 'packages/coordinator/src/crawl/job/crawl-settings.ts',
  from: "upgrades: ownCode || job.scraper.kind === 'module',",
  to: 'upgrades: ownCode && job.name === undefined,',
};

/** And without a name of its own for each body: one list hides all others of its host. */
const oneNameForAll = {
  file: 'packages/worker/src/page/asked.ts',
  from: '`${method}\\n${type}\\n${body}`',
  to: '`${method}\\n${type}\\n${body.slice(0, 0)}`',
};

interface Trial {
  shop: ShopSite;
  folder: string;
  order: SitemapOrder;
  /** Lists are asked for by POST, and bring data that says where they are. */
  byPost: boolean;
  store?: RedisServers;
  kills: number;
  command?: string;
}

/**
 * A scraper collects the products of a shop by the label it follows them with. Sitemaps and pages name the products in
 * every order, in a folder and in a store, and the crawler is killed at random requests: each product must yield
 * exactly one item, and be asked for twice at most, kills apart. In half of the trials the lists of products are asked for
 * by POST, fail once, and bring data: each must yield one item with its own data. A replay over the archive gives equal items
 * without a request, and takes no more memory for many pages than for a few. Controls: without upgrades products are
 * missing, lists where all bodies have one name; one product left out is found; a handler that keeps bodies is seen.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const kills = Number(argument(args, '--kills') ?? size.kills);
  const work = workFolder('shop');
  const shop = await startShop(size);
  const store = await startStore('redis');
  const total = { crawls: 0, ...nothing };
  try {
    const orders = sitemapOrders.flatMap((order) => [{ order }, { order, store }]);
    const trials: Omit<Trial, 'shop' | 'folder' | 'kills'>[] = quick
      ? [
          { order: 'products first', byPost: false },
          { order: 'mixed', byPost: true, store },
          { order: 'categories first', byPost: true },
        ]
      : [false, true].flatMap((byPost) => orders.map((trial) => ({ ...trial, byPost })));
    const replays = { pages: 0, items: 0, unequal: 0, requests: 0, unequalInControl: 0 };
    let allEqual = true;
    for (const [n, trial] of trials.entries()) {
      const { order, byPost } = trial;
      const folder = join(work.path, `${n}.crawl`);
      const found = await crawlShop({ ...trial, shop, kills, folder });
      total.crawls++;
      for (const key of keysOf(nothing)) total[key] += found[key];
      console.error(JSON.stringify({ order, byPost, store: 'store' in trial, ...found }));
      if ('store' in trial || (quick && !byPost)) continue;
      const replay = await replayShop(shop, folder);
      for (const key of keysOf(replays)) replays[key] += replay[key];
      allEqual &&= isEqual(replay);
    }
    const control = await crawlShop({
      shop,
      order: 'products first',
      byPost: true,
      kills: 0,
      folder: join(work.path, 'control.crawl'),
      command: copyWith([noUpgrades, oneNameForAll], join(work.path, 'control')),
    });
    const memory = quick ? undefined : await memoryOfReplays(work.path);
    const { missing, missingLists, doubled, wrongData, unfinished, repeats, killed } = total;
    return {
      ok:
        missing + missingLists + doubled + wrongData + unfinished + repeats === 0 &&
        allEqual &&
        (memory?.isBounded ?? true),
      tooEasy: killed !== kills * trials.length || control.missing === 0 || control.missingLists === 0,
      result: {
        ...total,
        missingInControl: control.missing,
        missingListsInControl: control.missingLists,
        replays,
        ...(memory ? { memory } : {}),
        sizes: { ...size, kills, stores: ['folder', 'redis'] },
      },
    };
  } finally {
    await store.stop();
    await shop.stop();
    work.remove();
  }
}

/** A crawl of a few pages and one of many, replayed. */
async function memoryOfReplays(under: string) {
  const { few, many, productBytes } = archives;
  const folders = [join(under, 'few.crawl'), join(under, 'many.crawl')];
  const shops = await Promise.all(
    [few, many].map((products) => startShop({ products, categories: products / 50, productBytes })),
  );
  try {
    for (const [n, shop] of shops.entries()) {
      const { unfinished } = await crawlShop({
        shop,
        folder: folders[n] as string,
        order: 'none',
        byPost: false,
        kills: 0,
      });
      if (unfinished > 0) throw new Error('the crawl to be replayed did not finish');
    }
    const row = await replayMemory(shops, folders);
    return { ...row, isBounded: isBounded(row, (many * productBytes) / 1_048_576) };
  } finally {
    for (const shop of shops) await shop.stop();
  }
}

/** What is counted. */
const nothing = {
  killed: 0,
  missing: 0,
  missingLists: 0,
  doubled: 0,
  wrongData: 0,
  unfinished: 0,
  repeats: 0,
  again: 0,
};

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}

function jobOf({ shop, folder, store }: Trial): JobInput {
  return {
    name: `shop-${folder.split('/').at(-1)?.split('.')[0]}`,
    seeds: shop.seeds,
    contact: 'https://lab.test/crawler',
    scraper: join(import.meta.dirname, 'shop-scraper.ts'),
    scope: { stay: 'web' },
    limits: {
      pages: 'none',
      bytes: 'none',
      duration: 'none',
      perHost: { pages: 'none' },
      perSite: { pages: 'none' },
      minFree: '50MB',
    },
    politeness: { gap: '3ms', slowFactor: 0 },
    // The kills are ours: no page is to blame for them.
    fetch: {
      allowPrivate: shop.origins,
      timeout: '3s',
      retries: { count: 10, backoff: '50ms', poisonAfter: 35 },
    },
    // In a folder the archive is replayed.
    save: [store ? 'none' : 'warc'],
    ...(store ? { store: store.url } : {}),
  };
}

/** Runs the crawl until it has ended by itself, killed at random requests before that. */
async function crawlShop(trial: Trial) {
  const { shop, folder, kills, command = commandPath } = trial;
  shop.reset(trial.order, trial.byPost);
  const file = `${folder}.json`;
  await writeJob(file, jobOf(trial));
  let killed = 0;
  let code: number | string = '';
  for (let run = 0; code !== 0 && run < kills + runsAtMost; run++) {
    const crawler = startCrawler(file, folder, { command });
    if (killed < kills) {
      // All of them together are fewer than there are products, so that each strikes.
      const longest = Math.floor(shop.products.length / kills);
      const strike = shop.after(1 + Math.floor(Math.random() * longest));
      await Promise.race([strike, crawler.ended]);
      if (crawler.child.kill('SIGKILL')) killed++;
    }
    code = await crawler.ended;
    if (code !== 0 && code !== 'SIGKILL')
      throw new Error(`the crawler ended with ${code}: ${crawler.output()}`);
  }
  return { killed, unfinished: code === 0 ? 0 : 1, ...(await judge(trial, killed)) };
}

/** By what the shop was asked for, and by what the folder says it found. */
async function judge({ shop, folder, byPost }: Trial, killed: number) {
  const lists = byPost ? shop.lists : [];
  let wrongData = 0;
  const found = new Map<string, number>();
  const reader = await readFolder(folder);
  try {
    for await (const { item } of reader.results.items(reader.crawl)) {
      const { product, list, data } = item as Item;
      const name = product ?? nameOf(list);
      found.set(name, (found.get(name) ?? 0) + 1);
      if (product !== undefined && !isRight(shop, product, byPost, data)) wrongData++;
    }
  } finally {
    await reader.close();
  }
  const asked = new Map<string, number>();
  for (const one of shop.log) asked.set(one, (asked.get(one) ?? 0) + 1);
  const requests = [...shop.products, ...lists.map((list) => shop.requestOf(list))].map(
    (one) => asked.get(one) ?? 0,
  );
  const names = lists.map(nameOf);
  return {
    missing: shop.products.filter((url) => !found.has(url)).length,
    missingLists: names.filter((name) => !found.has(name)).length,
    doubled: [...found.values()].filter((times) => times !== 1).length,
    wrongData: wrongData + (found.size > shop.products.length + names.length ? 1 : 0),
    // One request may be under way on each host at each kill; its page is asked for again.
    repeats: requests.filter((times) => times > 2 + killed).length,
    again: requests.filter((times) => times > 1).length,
  };
}

interface Item {
  product?: string;
  list?: ListPlace;
  data?: Pick<ListPlace, 'category'>;
}

function nameOf(list: ListPlace | undefined): string {
  return `list ${list?.category} ${list?.page}`;
}

/** The data that came with a product says which list it was followed from; without lists there is none. */
function isRight(shop: ShopSite, product: string, byPost: boolean, data: Item['data']): boolean {
  if (!byPost) return data === undefined;
  return data !== undefined && shop.listed(data.category).includes(product);
}
