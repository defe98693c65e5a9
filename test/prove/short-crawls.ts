// watches: packages/coordinator/src/own-crawls, packages/coordinator/src/crawl, packages/coordinator/src/catalog
// watches: packages/coordinator/src/link, packages/coordinator/src/events, packages/coordinator/src/webhooks
// watches: packages/coordinator/src/coordinator.ts, packages/worker/src/worker.ts, packages/worker/src/crawls, packages/worker/src/link
// misses: what each crawl that has ended, or each second, leaves in the memory of a coordinator or a worker
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@webfarer/protocol/api';
import { startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { type Held, type Inspected, inspect, inspectable } from '../short-crawls/inspected.ts';
import { startShortSite } from '../short-crawls/short-site.ts';
import { argument, until, workFolder } from './lab.ts';

const sizes = {
  quick: { crawls: 120, warmUp: 30, each: 30 },
  full: { crawls: 2_000, warmUp: 100, each: 100 },
};
const patienceMs = 60_000;
/** What an ended crawl leaves for a moment: timers of connections, a last look at the catalog. */
const calmMs = 2_000;

/** What may steadily come with each crawl. One closure of each, or one promise of each second, is more. */
const mostEach: Partial<Record<keyof Held, number>> = {
  functions: 1,
  promises: 0.5,
  listeners: 0.3,
  timers: 0.1,
  handles: 0.1,
  files: 0.1,
  threads: 0.05,
};
/** Of the resident memory, from the first hundred crawls on. Not judged in the quick form: garbage of a minute is more. */
const mostGrowth = 1.05;

/**
 * Crawls of five pages, one after the other, each created, run and deleted by calls, at a coordinator with SQLite and a worker, each a
 * process of its own. After the first ones, what both hold after a collection of garbage stays as it is: functions, promises,
 * listeners, timers, handles, files and threads; and, in the whole form, resident memory within 5 %. `--count N` crawls;
 * `--store redis` keeps them there.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const size = { ...usual, crawls: Number(argument(args, '--count') ?? usual.crawls) };
  const work = workFolder('short-crawls');
  const site = await startShortSite();
  const redis = argument(args, '--store') === 'redis' ? await startRedis({ parent: work.path }) : undefined;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS ?? '', inspectable].join(' ').trim();
  const network = await startNetwork({ under: work.path, ...(redis ? { store: redis.url } : {}) });
  const inspected: Inspected[] = [];
  try {
    const processes = { coordinator: network.coordinators[0], worker: network.workers[0] };
    const { coordinator, worker } = processes;
    if (!coordinator || !worker) throw new Error('the network is not complete');
    inspected.push(await inspect(coordinator), await inspect(worker));
    const token = (await readFile(join(coordinator.folder, 'operator.token'), 'utf8')).trim();
    const client = createClient({ url: coordinator.url(), token, fetch });

    async function playOne(name: string): Promise<void> {
      const params = { crawl: name };
      const job = {
        name,
        seeds: [site.seed],
        contact: 'https://lab.test/crawler',
        scope: { stay: 'host' },
        robots: { sitemaps: false },
        politeness: { gap: '5ms', slowFactor: 0 },
        limits: { minFree: '1MB' },
        fetch: { allowPrivate: ['127.0.0.0/8'] },
      };
      await client.createCrawl({ body: { job } });
      const shown = () => client.getCrawl({ params });
      await until(`${name} to end`, async () => (await shown()).state === 'finished', patienceMs);
      const done = (await shown()).progress?.balance.done;
      if (done !== site.pages) throw new Error(`${name} has ${done} pages of ${site.pages}`);
      await client.deleteCrawl({ params });
      const isGone = () =>
        shown().then(
          () => false,
          ({ code }: { code?: string }) => code === 'not-found',
        );
      await until(`${name} to be gone`, isGone, patienceMs);
    }

    const looks: { crawls: number; held: Held[] }[] = [];
    for (let crawls = 1; crawls <= size.crawls; crawls++) {
      await playOne(`short-${crawls}`);
      if (crawls % size.each !== 0 && crawls !== size.crawls) continue;
      await sleep(calmMs);
      const held = await Promise.all(inspected.map((one) => one.held()));
      looks.push({ crawls, held });
      console.error(`  ${crawls} crawls: ${JSON.stringify(held)}`);
    }
    const names = Object.keys(processes);
    const found = names.map((name, n) => [
      name,
      growth(
        looks.map(({ crawls, held }) => ({ crawls, held: held[n] as Held })),
        size,
      ),
    ]);
    const all = found.map(([, one]) => one as Growth);
    return {
      ok: all.every(({ grows }) => grows.length === 0),
      tooSlow: !quick && all.some(({ resident }) => resident > mostGrowth),
      result: { ...Object.fromEntries(found), sizes: size },
    };
  } finally {
    for (const one of inspected) one.close();
    await network.end();
    await redis?.stop();
    await site.stop();
    work.remove();
  }
}

interface Growth {
  /** What comes with each crawl. */
  grows: string[];
  each: Record<string, number>;
  /** Resident memory at the end over that after the first crawls. */
  resident: number;
  residentBytes: number;
}

/**
 * From the first look on. Code that runs for the first time late, and what is pending at one moment, are steps between two looks: what
 * grows does so between most of them.
 */
function growth(looks: readonly { crawls: number; held: Held }[], { warmUp }: { warmUp: number }): Growth {
  const judged = looks.filter(({ crawls }) => crawls >= warmUp);
  const [first, last] = [judged[0], judged.at(-1)];
  if (!first || !last || judged.length < 3) throw new Error('too few crawls to compare');
  const eachBetween = (name: keyof Held) =>
    judged.slice(1).map(({ crawls, held }, n) => {
      const before = judged[n] as (typeof judged)[number];
      return (held[name] - before.held[name]) / (crawls - before.crawls);
    });
  const names = Object.keys(first.held) as (keyof Held)[];
  const each = Object.fromEntries(names.map((name) => [name, lowerMedian(eachBetween(name))]));
  const grows = names.filter((name) => (each[name] ?? 0) > (mostEach[name] ?? Number.POSITIVE_INFINITY));
  const residentBytes = Math.min(...judged.slice(-2).map(({ held }) => held.residentBytes));
  const resident = Math.round((residentBytes / first.held.residentBytes) * 1_000) / 1_000;
  return { grows, each, resident, residentBytes };
}

function lowerMedian(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) * 100) / 100;
}
