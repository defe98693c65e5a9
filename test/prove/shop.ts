import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import type { RedisServers } from '../redis/servers.ts';
import { argument, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';
import { startStore } from './shared-crawl.ts';
import { type ShopSite, type SitemapOrder, sitemapOrders, startShop } from './shop-site.ts';

const sizes = {
  quick: { products: 24, categories: 4, kills: 1 },
  full: { products: 300, categories: 30, kills: 8 },
} as const;
const runsAtMost = 5;

/** The product without the rule: a label that comes late is lost. */
const noUpgrades = {
  file: 'packages/coordinator/src/crawl/job/crawl-settings.ts',
  from: "upgrades: ownCode || job.scraper.kind === 'module',",
  to: 'upgrades: ownCode && job.name === undefined,',
};

interface Trial {
  shop: ShopSite;
  folder: string;
  order: SitemapOrder;
  store?: RedisServers;
  kills: number;
  command?: string;
}

/**
 * A scraper collects the products of a shop by the label it follows them with. Sitemaps and pages name the products in
 * every order, in a folder and in a store, and the crawler is killed at random requests: each product must yield
 * exactly one item, and be asked for twice at most, kills apart. Control: without upgrades products are missing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const kills = Number(argument(args, '--kills') ?? size.kills);
  const work = workFolder('shop');
  const shop = await startShop(size);
  const store = await startStore('redis');
  const total = { crawls: 0, killed: 0, missing: 0, doubled: 0, unfinished: 0, repeats: 0, again: 0 };
  try {
    const inFolder: readonly SitemapOrder[] = quick ? ['none', 'products first', 'mixed'] : sitemapOrders;
    const inStore: readonly SitemapOrder[] = quick ? ['products first'] : sitemapOrders;
    const trials = [...inFolder.map((order) => ({ order })), ...inStore.map((order) => ({ order, store }))];
    for (const [n, trial] of trials.entries()) {
      const found = await crawlShop({ ...trial, shop, kills, folder: join(work.path, `${n}.crawl`) });
      total.crawls++;
      for (const key of ['killed', 'missing', 'doubled', 'unfinished', 'repeats', 'again'] as const)
        total[key] += found[key];
      console.error(JSON.stringify({ order: trial.order, store: 'store' in trial, ...found }));
    }
    const command = copyWith([noUpgrades], join(work.path, 'control'));
    const control = {
      shop,
      order: 'products first' as const,
      kills: 0,
      folder: join(work.path, 'control.crawl'),
    };
    const missingInControl = (await crawlShop({ ...control, command })).missing;
    const { missing, doubled, unfinished, repeats, killed } = total;
    return {
      ok: missing + doubled + unfinished + repeats === 0 && killed > 0 && missingInControl > 0,
      result: { ...total, missingInControl, sizes: { ...size, kills, stores: ['folder', 'redis'] } },
    };
  } finally {
    await store.stop();
    await shop.stop();
    work.remove();
  }
}

function jobOf({ shop, folder, store }: Trial): JobInput {
  return {
    name: `shop-${folder.split('/').at(-1)?.split('.')[0]}`,
    seeds: shop.seeds,
    contact: 'https://lab.test/crawler',
    scraper: join(import.meta.dirname, 'shop-scraper.ts'),
    scope: { stay: 'web' },
    limits: { minFree: '50MB' },
    politeness: { gap: '3ms', slowFactor: 0 },
    // The kills are ours: no page is to blame for them.
    fetch: { allowPrivate: shop.origins, timeout: '3s', retries: { backoff: '50ms', poisonAfter: 35 } },
    save: ['none'],
    ...(store ? { store: store.url } : {}),
  };
}

/** Runs the crawl until it has ended by itself, killed at random requests before that. */
async function crawlShop(trial: Trial) {
  const { shop, folder, kills, command = commandPath } = trial;
  shop.reset(trial.order);
  const file = `${folder}.json`;
  await writeJob(file, jobOf(trial));
  let killed = 0;
  let code: number | string = '';
  for (let run = 0; code !== 0 && run < kills + runsAtMost; run++) {
    const crawler = startCrawler(file, folder, { command });
    if (killed < kills) {
      const longest = Math.ceil((shop.products.length * 2) / (kills + 1));
      const strike = shop.after(1 + Math.floor(Math.random() * longest));
      await Promise.race([strike, crawler.ended]);
      if (crawler.child.kill('SIGKILL')) killed++;
    }
    code = await crawler.ended;
    if (code !== 0 && code !== 'SIGKILL')
      throw new Error(`the crawler ended with ${code}: ${crawler.output()}`);
  }
  return { killed, unfinished: code === 0 ? 0 : 1, ...(await judge(shop, folder, killed)) };
}

/** By what the shop was asked for, and by what the folder says it found. */
async function judge(shop: ShopSite, folder: string, killed: number) {
  const found = new Map<string, number>();
  const reader = await readFolder(folder);
  try {
    for await (const { item } of reader.results.items(reader.crawl)) {
      const { product } = item as { product: string };
      found.set(product, (found.get(product) ?? 0) + 1);
    }
  } finally {
    await reader.close();
  }
  const asked = (url: string) => shop.log.filter((one) => one === url).length;
  const requests = shop.products.map(asked);
  return {
    missing: shop.products.filter((url) => !found.has(url)).length,
    doubled: [...found.values()].filter((times) => times !== 1).length,
    // One request may be under way on each host at each kill; its page is asked for again.
    repeats: requests.filter((times) => times > 2 + killed).length,
    again: requests.filter((times) => times > 1).length,
  };
}
