// watches: packages/coordinator/src/frontier/redis, packages/coordinator/src/redis
// misses: the measurement of memory a URL no longer runs
import type { RedisStore } from '../packages/coordinator/src/redis.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { openOurs } from './redis/contenders.ts';
import { type LinkSource, linkSource } from './redis/links.ts';

/**
 * What a known URL costs in memory. The whole frontier: hosts, queues, seen set and sums, with 85 % of the known
 * URLs queued and the records of the others taken away, as they are in a running crawl. The seen set alone: the
 * same server after everything else was deleted. The URLs are offered as seeds, so no queued one names the page
 * it was found on; that adds as many bytes as that page's path has. And that it is exact: no new URL is taken for a known one, no
 * known one for a new one.
 */
interface Sizes {
  known: number[];
  /** At which of these the whole frontier is weighed: fetching 15 % takes its time. */
  wholeAt: number;
  settledShare: number;
  urlsPerHost: number;
  /** Known URLs offered again. */
  again: number;
}

const full: Sizes = {
  known: [1_000_000, 5_000_000, 20_000_000],
  wholeAt: 1_000_000,
  settledShare: 0.15,
  urlsPerHost: 50,
  again: 2_000_000,
};
const small: Sizes = { ...full, known: [30_000, 60_000], wholeAt: 60_000, again: 20_000 };

const bars = { bytesPerUrl: 10.5, totalBytesPerUrl: 90 };
const batchSize = 20_000;

export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const sizes = { ...(quick ? small : full), ...overrides(args) };
  const bytesPerUrl: number[] = [];
  let totalBytesPerUrl = 0;
  const wrong = { dropped: 0, wronglyNew: 0 };
  // Weighing the seen set alone destroys the rest, so every size gets a server of its own.
  for (const known of sizes.known) {
    const ours = await openOurs({ connections: 4, strict: false });
    try {
      const empty = await usedMemory(ours.store);
      const web = linkSource({ hosts: Math.ceil(known / sizes.urlsPerHost) });
      wrong.dropped += await fill(web, known, ours);
      if (known === sizes.wholeAt) {
        const settled = await ours.fetch(Math.round(known * sizes.settledShare));
        if (settled < known * sizes.settledShare * 0.99) throw new Error(`only ${settled} were fetched`);
        await deleteKeys(ours.store, (key) => /^\{g\d+\}\d+r$/.test(key));
        totalBytesPerUrl = round1(((await usedMemory(ours.store)) - empty) / known);
        console.error(`${known} known: ${totalBytesPerUrl} bytes each in all`);
      }
      wrong.wronglyNew += await offerAgain(web, Math.min(known, sizes.again), ours);
      await deleteKeys(ours.store, (key) => !/^\{g\d+\}\d+k\d+$/.test(key));
      bytesPerUrl.push(round1(((await usedMemory(ours.store)) - empty) / known));
      console.error(`${known} known: ${bytesPerUrl.at(-1)} bytes each in the seen set`);
    } finally {
      await ours.close();
    }
  }
  const exact = wrong.dropped === 0 && wrong.wronglyNew === 0;
  const light = Math.max(...bytesPerUrl) <= bars.bytesPerUrl && totalBytesPerUrl <= bars.totalBytesPerUrl;
  // Below a million, buckets that are mostly empty and the groups themselves weigh more than what they hold.
  return { ok: exact && (quick || light), result: { bytesPerUrl, totalBytesPerUrl, ...wrong, bars, sizes } };
}

/** `--known 1000000` measures one size only. */
function overrides(args: string[]): Partial<Sizes> {
  const at = args.indexOf('--known');
  const known = at < 0 ? [] : (args[at + 1] ?? '').split(',').map(Number);
  return known.length === 0 ? {} : { known, wholeAt: known[0] as number };
}

interface Taker {
  offer(links: ReturnType<LinkSource['batch']>): Promise<number>;
}

/** How many new URLs were taken for known ones. */
async function fill(web: LinkSource, known: number, ours: Taker): Promise<number> {
  let dropped = 0;
  while (web.known < known) {
    const links = web.batch(Math.min(batchSize, known - web.known), 0);
    dropped += links.length - (await ours.offer(links));
    if (web.known % 1_000_000 === 0) console.error(`${web.known / 1e6} million known`);
  }
  return dropped;
}

async function offerAgain(web: LinkSource, count: number, ours: Taker): Promise<number> {
  let wronglyNew = 0;
  for (let done = 0; done < count; done += batchSize) {
    wronglyNew += await ours.offer(web.batch(0, Math.min(batchSize, count - done)));
  }
  return wronglyNew;
}

/** Without the buffers of connections, which are as large as what was last sent over them. */
async function usedMemory(store: RedisStore): Promise<number> {
  const [info] = await store.run([{ key: '{wf}', args: ['INFO', 'memory'] }]);
  const part = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info as string)?.[1]);
  return part('used_memory_dataset') + part('used_memory_overhead') - part('mem_clients_normal');
}

/** Key by key, in bounded steps. */
async function deleteKeys(store: RedisStore, matches: (key: string) => boolean): Promise<void> {
  let cursor = '0';
  do {
    const [reply] = await store.run([{ key: '{wf}', args: ['SCAN', cursor, 'COUNT', 1000] }]);
    const [next, keys] = reply as [string, string[]];
    const gone = keys.filter(matches);
    if (gone.length > 0) await store.run([{ key: '{wf}', args: ['DEL', ...gone] }]);
    cursor = next;
  } while (cursor !== '0');
}

function round1(bytes: number): number {
  return Math.round(bytes * 10) / 10;
}
