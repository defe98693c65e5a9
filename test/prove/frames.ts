// watches: packages/protocol/src/link, packages/coordinator/src/link, packages/coordinator/src/frontier
// watches: packages/coordinator/src/redis
// misses: a worker with a good token that stops a crawl by malformed frames
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { type HonestWeb, startHonestWeb } from '../frames/honest-web.ts';
import { lie, type Lies, type LiarOptions } from '../frames/liar.ts';
import { startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { argument, workFolder, writeJob } from './lab.ts';

/** Frames for each store; every wrong value in every field once takes about 3,000. */
const counts = { quick: 1_500, full: 50_000 } as const;
const END_MS = 90_000;
/** Several times as long as the same crawl takes with the rule in. */
const CONTROL_MS = 8_000;

const fields = 'packages/protocol/src/link/frame-fields.ts';
const redis = 'packages/coordinator/src/frontier/redis';

/** Hosts are taken as they come, and scripts fail on what they cannot read. */
const anyHost: Change[] = [
  { file: fields, from: ".refine(isHostKey, { error: 'not a host name as URLs have it' })", to: '' },
  { file: `${redis}/granting.ts`, from: 'if (!isHostKey(host))', to: 'if (host === undefined)' },
  {
    file: 'packages/coordinator/src/redis/lua/base/state.lua',
    from: '      rescue_pair(p, s)',
    to: "      error('unreadable')",
  },
];
/** A gap may be as long as anybody says. */
const anyGap: Change[] = [{ file: fields, from: '  gapMs: spanMs,', to: '  gapMs: z.number(),' }];

/**
 * A worker with a good token says everything that no worker says: each field of each frame gets each of many wrong
 * values, then several at once. Its leases are of hosts that do not matter here. Then it goes, an honest worker comes,
 * and the crawl must end, exact on all other hosts by the web's own log, with no failed script and nothing set aside.
 * `--count N` frames in all, half on SQLite and half on Redis. Controls: where hosts are not checked, and where gaps
 * have no bound, the same frames must keep the crawl from ending, or make scripts of the store fail.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const wanted = argument(args, '--count');
  const count = wanted === undefined ? counts[quick ? 'quick' : 'full'] : Math.ceil(Number(wanted) / 2);
  const work = workFolder('frames');
  const web = await startHonestWeb();
  const job = join(work.path, 'job.json');
  await writeJob(job, jobOf(web));
  const trial = { web, job, count, seed: Number(argument(args, '--seed') ?? 11) };
  try {
    const onSqlite = await attack({ ...trial, under: join(work.path, 'sqlite') });
    const onRedis = await withRedis((server) =>
      attack({ ...trial, under: join(work.path, 'redis'), server }),
    );
    const controls = await runControls(trial, work.path);
    const both = [onSqlite, onRedis];
    const sum = (of: (figures: Figures) => number) => both.reduce((all, figures) => all + of(figures), 0);
    const stuck = sum((one) => (one.ended ? 0 : 1));
    const figures = {
      frames: sum(({ lies }) => lies.frames),
      refused: sum(({ lies }) => lies.refused),
      answered: sum(({ lies }) => lies.answered),
      stuck,
      lost: sum((one) => one.lost),
      repeats: sum((one) => one.repeats),
      defects: sum(({ lies }) => lies.defects.length),
      scriptErrors: onRedis.scriptErrors,
      setAside: onRedis.setAside,
    };
    for (const { lies } of both) for (const defect of lies.defects.slice(0, 10)) console.error(`  ${defect}`);
    const harm =
      stuck + figures.lost + figures.repeats + figures.defects + figures.scriptErrors + figures.setAside;
    return {
      ok: harm === 0,
      tooEasy: figures.refused === 0 || figures.answered === 0 || !controls.every(isHarmed),
      result: {
        ...figures,
        harmedControls: controls.filter(isHarmed).length,
        stuckInControls: controls.filter(({ ended }) => !ended).length,
        sizes: { perStore: count, controls: controls.length, pages: web.pages.size },
      },
    };
  } finally {
    await web.stop();
    work.remove();
  }
}

/** What must not happen with the rules in. */
function isHarmed({ ended, scriptErrors }: Figures): boolean {
  return !ended || scriptErrors > 0;
}

async function runControls(trial: Omit<Trial, 'under'>, under: string): Promise<Figures[]> {
  const control = (name: string, changes: Change[], more: Partial<Trial>) =>
    attack({
      ...trial,
      under: join(under, name),
      command: copyWith(changes, join(under, `${name}-source`)),
      withinMs: CONTROL_MS,
      ...more,
    });
  const hosts = withRedis((server) =>
    control('any-host', anyHost, { server, count: 40, frames: ['leaseHost'], field: 'host' }),
  );
  const gaps = control('any-gap', anyGap, { count: 200, frames: ['report'], field: 'gapMs' });
  return [await hosts, await gaps];
}

function jobOf({ seeds }: HonestWeb): JobInput {
  return {
    name: 'frames',
    contact: 'https://lab.test/crawler',
    seeds,
    scope: { stay: 'web' },
    limits: { pages: 'none', perHost: { pages: 'none' }, perSite: { pages: 'none' }, minFree: '50MB' },
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { timeout: '1s', allowPrivate: ['127.0.0.0/8'], retries: { count: 1, backoff: '10ms' } },
    save: [{ warc: { at: 'coordinator' } }],
  };
}

interface Trial extends Pick<LiarOptions, 'web' | 'count' | 'seed' | 'frames' | 'field'> {
  job: string;
  under: string;
  server?: RedisServers;
  command?: string;
  withinMs?: number;
}

interface Figures {
  lies: Lies;
  ended: boolean;
  /** Honest pages without a record that says done, or never asked for. */
  lost: number;
  /** Honest pages asked for more than once. */
  repeats: number;
  scriptErrors: number;
  setAside: number;
}

async function attack(trial: Trial): Promise<Figures> {
  const { web, job, under, server, command, withinMs = END_MS } = trial;
  web.reset();
  const network = await startNetwork({
    job,
    under,
    workers: 0,
    untilDone: true,
    coordinatorWords: ['--quiet'],
    ...(server ? { store: server.url } : {}),
    ...(command === undefined ? {} : { command }),
  });
  const [coordinator] = network.coordinators;
  if (!coordinator) throw new Error('no coordinator');
  try {
    const failedBefore = await failedCalls(server);
    const token = (await readFile(join(coordinator.folder, 'worker.token'), 'utf8')).trim();
    const { job: _job, under: _under, count, ...about } = trial;
    const started = performance.now();
    const lies = await lie({ ...about, url: coordinator.url(), token, count });
    const attackedMs = performance.now() - started;
    await network.addWorker();
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, withinMs, 'late').unref());
    const code = await Promise.race([coordinator.ended(), late]);
    const ended = code === 0;
    if (!ended && code !== 'late') console.error(`  ended with ${code}: ${coordinator.output().slice(-500)}`);
    const endedMs = performance.now() - started - attackedMs;
    console.error(
      `  ${under.split('/').at(-1)}: ${lies.frames} frames in ${Math.round(attackedMs)} ms, ${ended ? 'ended' : 'not ended'} after ${Math.round(endedMs)} ms`,
    );
    const scriptErrors = (await failedCalls(server)) - failedBefore;
    if (!ended) return { lies, ended, lost: 0, repeats: 0, scriptErrors, setAside: 0 };
    if (lies.frames < count) throw new Error('the liar stopped early');
    return {
      lies,
      ended,
      ...(await judged(web, coordinator.folder)),
      scriptErrors,
      setAside: await asideIn(server),
    };
  } finally {
    await network.end();
  }
}

async function judged(web: HonestWeb, folder: string): Promise<Pick<Figures, 'lost' | 'repeats'>> {
  const done = new Map<string, number>();
  const reader = await readFolder(folder);
  try {
    for await (const { url, verdict } of reader.results.records(reader.crawl))
      if (verdict === 'done') done.set(url, (done.get(url) ?? 0) + 1);
  } finally {
    await reader.close();
  }
  const asked = web.asked();
  let [lost, repeats] = [0, 0];
  for (const page of web.pages) {
    if (done.get(page) !== 1 || !asked.has(page)) lost++;
    if ((asked.get(page) ?? 0) > 1) repeats++;
  }
  return { lost, repeats };
}

async function withRedis<T>(work: (server: RedisServers) => Promise<T>): Promise<T> {
  const server = await startRedis();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Calls of functions in the store that ended with an error. */
async function failedCalls(server: RedisServers | undefined): Promise<number> {
  const info = JSON.stringify(await server?.nodes[0]?.ask('INFO', 'commandstats')) ?? '';
  return Number(/cmdstat_fcall:\S*?failed_calls=(\d+)/.exec(info)?.[1] ?? 0);
}

/** Texts of the store that no script could read. */
async function asideIn(server: RedisServers | undefined): Promise<number> {
  const node = server?.nodes[0];
  if (!node) return 0;
  let texts = 0;
  for (const key of (await node.ask('KEYS', '{g*}n')) as string[])
    texts += Number((await node.ask('HGET', key, '#')) ?? 0);
  return texts;
}
