// watches: packages/coordinator/src/results, packages/coordinator/src/frontier/redis, packages/coordinator/src/redis
// misses: results lost between the store and the files that they drain to
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import type { RedisServers } from '../redis/servers.ts';
import { differences } from './folder-contents.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, smallJob, startCrawler, workFolder, writeJob } from './lab.ts';
import { startStore } from './shared-crawl.ts';

const sizes = { quick: { kills: 4 }, full: { kills: 200 } } as const;
/** Results of a group that stay in the store; ten times as many, and nothing is leased from it. */
const backlog = 10;
const stopAt = 10 * backlog;
/** What comes between two looks at the backlog, and what was leased before: some hosts, at the pace of the lab. */
const slack = 200;
const steps = ['claimed', 'written', 'kept', 'any'] as const;
const longestMs = 120_000;

/**
 * Two processes share a crawl and write its results to files, because the store keeps only ten of each group. Again
 * and again one of them is killed: at a step of writing, or at any moment. All records, items and links must be there
 * once, and the store must never hold much. Control: results that leave the store before they are on the disk are lost.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const wanted = Number(argument(args, '--count') ?? size.kills);
  const work = workFolder('drain');
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  const kind = argument(args, '--store') === 'cluster' ? 'cluster' : 'redis';
  const store = await startStore(kind);
  try {
    const { job, expect } = briskJob(fake);
    const scraper = join(import.meta.dirname, 'titles-scraper.ts');
    const calm = join(work.path, 'calm.json');
    const file = join(work.path, 'job.json');
    await writeJob(calm, { ...job, scraper });
    await writeJob(file, { ...job, scraper, store: { url: store.url, backlog } });
    const reference = join(work.path, 'calm.crawl');
    const code = await startCrawler(calm, reference).ended;
    if (code !== 0) throw new Error(`the undisturbed crawl ended with ${code}`);
    const right = await yieldOf(reference);

    const total = { drained: 0, segments: 0, kills: 0, lost: 0, doubled: 0, itemsDiffer: 0, edgesDiffer: 0 };
    let [peakBacklog, ok] = [0, true];
    for (let round = 0; total.kills < wanted; round++) {
      const trial = { fake, store, file, folders: foldersOf(work.path, `round-${round}`), unsafe: false };
      const { kills, peak } = await crawlUnderFire(trial, Math.min(wanted - total.kills, 12));
      const [folder = ''] = trial.folders;
      const judgement = await judgeFolder(fake, folder, expect);
      const found = await yieldOf(folder);
      total.kills += kills;
      total.drained += found.drained;
      total.segments += found.segments;
      total.lost += judgement.lost;
      total.doubled += judgement.duplicates + judgement.extra;
      total.itemsDiffer += differences(right.items, found.items);
      total.edgesDiffer += differences(right.edges, found.edges);
      peakBacklog = Math.max(peakBacklog, peak);
      const good = holds(judgement, { repeats: Number.POSITIVE_INFINITY });
      if (!good) console.error(JSON.stringify({ folder, ...judgement }));
      ok &&= good;
      console.error(JSON.stringify({ round, ...total, peakBacklog }));
    }
    const lostInControl = await control({ fake, store, under: work.path, scraper });
    return {
      ok:
        ok &&
        total.lost + total.doubled + total.itemsDiffer + total.edgesDiffer === 0 &&
        peakBacklog <= stopAt + slack,
      tooEasy: total.drained === 0 || lostInControl === 0,
      result: {
        ...total,
        items: right.items.length,
        edges: right.edges.length,
        peakBacklog,
        lostInControl,
        sizes: { ...size, backlog, store: kind },
      },
    };
  } finally {
    await store.stop();
    await fake.stop();
    work.remove();
  }
}

interface Trial {
  fake: FakeWeb;
  store: RedisServers;
  file: string;
  folders: string[];
  unsafe: boolean;
}

function primaries({ nodes }: RedisServers): RedisServers['nodes'] {
  return nodes.filter(({ role }) => role === 'primary');
}

function foldersOf(under: string, name: string): string[] {
  return ['a', 'b'].map((which) => join(under, `${name}-${which}.crawl`));
}

/** Both processes of a new crawl, each killed and started again until all kills are done and it has finished. */
async function crawlUnderFire(trial: Trial, wanted: number): Promise<{ kills: number; peak: number }> {
  for (const node of primaries(trial.store)) await node.ask('FLUSHALL');
  await trial.fake.reset();
  const state = { kills: 0, peak: 0, over: false };
  const watching = watchBacklog(trial.store, state);
  const live = async (folder: string) => {
    for (;;) {
      const isLast = state.kills >= wanted;
      const step = trial.unsafe ? 'kept' : (steps[Math.floor(Math.random() * steps.length)] ?? 'any');
      const ended = await crawlOnce(trial, folder, isLast ? 'finish' : step);
      if (ended === 0) return;
      if (ended !== 'SIGKILL') throw new Error(`a crawl ended with ${ended}`);
      state.kills++;
    }
  };
  try {
    await Promise.all(trial.folders.map(live));
  } finally {
    state.over = true;
    await watching;
  }
  return state;
}

function crawlOnce({ file, unsafe }: Trial, folder: string, step: string): Promise<number | string> {
  const times = unsafe ? 0 : Math.floor(Math.random() * 8);
  const fate = step === 'any' || step === 'finish' ? 'finish' : `${step}:${times}`;
  const words = [join(import.meta.dirname, 'drain-crawler.ts'), file, folder, fate];
  const child = spawn(process.execPath, unsafe ? [...words, 'unsafe'] : words, { stdio: ['ignore', 2, 2] });
  const kill = () => child.kill('SIGKILL');
  const timer = step === 'any' ? setTimeout(kill, 1_000 + Math.random() * 6_000) : undefined;
  const limit = setTimeout(() => child.kill('SIGABRT'), longestMs);
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      clearTimeout(limit);
      resolve(code ?? signal ?? 'gone');
    });
  });
}

/** The most results that any group held, looked at ten times a second. */
async function watchBacklog(store: RedisServers, state: { peak: number; over: boolean }): Promise<void> {
  const script = `local most = 0
    for _, key in ipairs(redis.call('KEYS', '{g*}1r')) do most = math.max(most, redis.call('XLEN', key)) end
    return most`;
  while (!state.over) {
    for (const node of primaries(store))
      state.peak = Math.max(state.peak, Number(await node.ask('EVAL', script, 0)));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Items and links of a crawl, one line each, and how much of it is in files. */
async function yieldOf(
  folder: string,
): Promise<{ items: string[]; edges: string[]; drained: number; segments: number }> {
  const reader = await readFolder(folder);
  try {
    const [items, edges]: string[][] = [[], []];
    for await (const item of reader.results.items(reader.crawl)) items?.push(JSON.stringify(item));
    for await (const page of reader.results.edges(reader.crawl))
      for (const edge of page.edges) edges?.push(JSON.stringify([page.from, edge]));
    const { records = 0, segments = 0, absent = [] } = (await reader.kept()) ?? {};
    if (absent.length > 0) throw new Error(`results are not at hand: ${JSON.stringify(absent)}`);
    return { items: items ?? [], edges: edges ?? [], drained: records, segments };
  } finally {
    await reader.close();
  }
}

/**
 * With the safeguard off, the same judge must find loss: otherwise it proves nothing. The crawl dies when the first results
 * have left the store and are not yet on the disk.
 */
async function control({
  under,
  scraper,
  ...about
}: Pick<Trial, 'fake' | 'store'> & { under: string; scraper: string }): Promise<number> {
  const { job, expect } = smallJob(about.fake);
  const file = join(under, 'control.json');
  await writeJob(file, { ...job, scraper, store: { url: about.store.url, backlog } });
  const folder = join(under, 'control.crawl');
  await crawlUnderFire({ ...about, file, folders: [folder], unsafe: true }, 1);
  return (await judgeFolder(about.fake, folder, expect)).lost;
}
