// watches: packages/coordinator/src/results, packages/coordinator/src/frontier, packages/coordinator/src/redis
// misses: followers of results that miss or repeat outcomes
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isStorageTrouble } from '@webfarer/protocol';
import { retryAll } from '../../packages/coordinator/src/frontier/all-steps.ts';
import { openSqliteFrontier } from '../../packages/coordinator/src/frontier/sqlite/sqlite-frontier.ts';
import {
  resultKinds,
  type ResultsCursor,
  type ResultsPage,
} from '../../packages/coordinator/src/results/results.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { judgeFollower, type Verdicts, yieldOf } from '../judge/judge-follower.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { openCrawlStore } from '../redis/crawl-store.ts';
import { startRedis } from '../redis/servers.ts';
import {
  simulateCrawl,
  simulated,
  type Simulation,
  type SimulationOptions,
} from '../redis/simulated-crawl.ts';
import { strike } from '../redis/strike.ts';
import { type Control, countingReader } from './cursor-controls.ts';
import { openReader, type ReaderPlace, type TrialReader } from './cursor-reader.ts';
import { argument, until, workFolder } from './lab.ts';

const sizes = { quick: { cuts: 40, failovers: 1 }, full: { cuts: 1_000, failovers: 10 } } as const;
/** At every so many cuts a process that reads is killed. */
const killEvery = 40;
/** Results of a group that stay in the store. */
const backlog = 20;
const retries = 2;
const clock = systemClock();

/**
 * A reader follows the results of a crawl on SQLite and of one on a Redis cluster, and is cut off again and again: a page
 * is lost before it is stored, an older cursor is taken up, the reader is opened anew or its process killed. Meanwhile
 * failed pages are retried, results drain to files and primaries are killed. What it has in the end must be each outcome
 * once, whole, in order. Control: a reader that counts what it has seen instead of keeping a cursor.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const cuts = Number(argument(args, '--count') ?? size.cuts);
  const failovers = quick ? size.failovers : Math.max(1, Math.round(cuts / 100));
  const only = argument(args, '--store');
  const sqlite = only === 'redis' ? undefined : await onSqlite(Math.ceil(cuts / 2));
  if (sqlite) console.error(JSON.stringify({ sqlite }));
  const redis = only === 'sqlite' ? undefined : await onRedis(Math.ceil(cuts / 2), failovers);
  if (redis) console.error(JSON.stringify({ redis }));
  const trials = [sqlite, redis].filter((trial) => trial !== undefined);
  const sum = (of: (trial: Trial) => number) => trials.reduce((total, trial) => total + of(trial), 0);
  const counts = {
    lost: sum(({ ours }) => ours.lost),
    repeated: sum(({ ours }) => ours.repeated),
    torn: sum(({ ours }) => ours.torn),
    disordered: sum(({ ours }) => ours.disordered),
  };
  const harmInControls = trials.map(({ control }) => control.lost + control.repeated);
  // A reader that goes back behind a retry does not see what was replaced: in one of the trials it must.
  const isFair = trials.every(({ kills }) => kills > 0) && sum(({ replaced }) => replaced) > 0;
  return {
    ok: Object.values(counts).every((count) => count === 0) && trials.every(({ finished }) => finished),
    tooEasy: !isFair || harmInControls.includes(0) || redis?.drained === 0,
    result: {
      ...counts,
      outcomes: sum(({ ours }) => ours.outcomes),
      items: sum(({ ours }) => ours.items),
      links: sum(({ ours }) => ours.links),
      replaced: sum(({ replaced }) => replaced),
      drained: redis?.drained ?? 0,
      harmInControls,
      longestCursor: Math.max(...trials.map(({ longestCursor }) => longestCursor)),
      sizes: { cuts, failovers, kills: sum(({ kills }) => kills) },
    },
  };
}

interface Trial {
  ours: Verdicts;
  control: Verdicts;
  finished: boolean;
  /** Outcomes that a reader saw and that were then retried. */
  replaced: number;
  drained: number;
  kills: number;
  longestCursor: number;
}

async function onSqlite(cuts: number): Promise<Trial> {
  const work = workFolder('cursor');
  const path = join(work.path, 'crawl.db');
  const frontier = openSqliteFrontier({ path, clock });
  try {
    const times = { gapMs: 20, leaseTtlMs: 3_000, maxFetchMs: 500 };
    const options = { frontiers: [frontier], hosts: 20, times };
    return await follow({ options, place: { sqlite: path, replicas: 0 }, cuts, control: countingReader });
  } finally {
    await frontier.close();
    work.remove();
  }
}

async function onRedis(cuts: number, failovers: number): Promise<Trial> {
  const work = workFolder('cursor');
  const servers = await startRedis({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 500 });
  try {
    const drain = { results: backlog, under: work.path };
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1, drain });
    const times = { gapMs: 150, leaseTtlMs: 3_000, maxFetchMs: 500 };
    const trial = await follow({
      options: { frontiers: store.frontiers, hosts: 24, times },
      place: { redis: servers.url, replicas: 1 },
      cuts,
      control: countingReader,
      async meanwhile(simulation) {
        for (let n = 0; n < failovers; n++) await strike(servers, simulation, 'primary');
      },
    });
    const { records: drained } = (await store.frontiers[0]?.kept(simulated)) ?? { records: 0 };
    await store.close();
    return { ...trial, drained };
  } finally {
    await servers.stop();
    work.remove();
  }
}

interface FollowOptions {
  options: Omit<SimulationOptions, 'yieldOf'>;
  place: ReaderPlace;
  cuts: number;
  control(reader: TrialReader): Control;
  meanwhile?(simulation: Simulation): Promise<void>;
}

async function follow({ options, place, cuts, control, meanwhile }: FollowOptions): Promise<Trial> {
  const simulation = await simulateCrawl({ ...options, yieldOf });
  const [first] = options.frontiers as [SimulationOptions['frontiers'][0]];
  let struck = meanwhile === undefined;
  const striking = meanwhile?.(simulation).finally(() => (struck = true));
  const follower = new Follower(place);
  const others = await openReader(place);
  const other = control(others);
  let [cut, retried] = [0, 0];
  for (; cut < cuts || !struck; cut++) {
    await follower.cutOff(cut);
    await follower.read(1 + Math.floor(Math.random() * 4));
    if (cut % Math.ceil(cuts / 3) === 0) await attempt(() => other.read());
    if (retried < retries && cut >= (cuts * (retried + 1)) / (retries + 1)) {
      // Once it has seen pages that failed, so that some of what it has seen is replaced.
      if (retried === 0) await follower.readFailures();
      await attempt(async () => void (await retryAll(first, simulated, { verdict: 'failed' })));
      retried++;
    }
  }
  await striking;
  const { finished, addsUp, lost } = await simulation.end(60_000);
  await follower.readAll();
  await other.read();
  const truth = {
    urls: simulation.expected(),
    totals: await first.totals(simulated),
    results: others.results,
  };
  const ours = await judgeFollower(follower.log, truth);
  const theirs = await judgeFollower(other.entries, truth);
  await follower.close();
  await others.close();
  const { kills, longestCursor } = follower;
  const replaced = ours.replaced;
  return {
    ours,
    control: theirs,
    finished: finished && addsUp && lost === 0,
    replaced,
    drained: 0,
    kills,
    longestCursor,
  };
}

type Entries = ResultsPage['entries'];

/** Keeps what it has read and the cursor behind it together, as whoever follows results must. */
class Follower {
  log: Entries = [];
  kills = 0;
  longestCursor = 0;
  private cursor: ResultsCursor | undefined;
  private readonly stored: { entries: number; cursor: ResultsCursor | undefined }[] = [];
  private reader: TrialReader | undefined;
  private readonly place: ReaderPlace;

  constructor(place: ReaderPlace) {
    this.place = place;
  }

  async read(pages: number): Promise<boolean> {
    let more = true;
    for (let n = 0; n < pages && more; n++) {
      const page = await this.next();
      if (!page) return true;
      this.keep(page);
      ({ more } = page);
    }
    if (!more) await clock.sleep(5);
    return more;
  }

  async readAll(): Promise<void> {
    while (await this.read(50));
  }

  /** Reads until a page that failed is among what it has, and never goes back behind that. */
  async readFailures(): Promise<void> {
    const isThere = () =>
      this.log.some((entry) => entry.kind === 'record' && entry.record.verdict === 'failed');
    await until('a page to fail', async () => (await this.read(50), isThere()), 60_000);
    this.stored.length = 0;
  }

  /** In one of several ways; what was read since the cursor that is taken up again is forgotten. */
  async cutOff(cut: number): Promise<void> {
    const chance = Math.random();
    if (cut % killEvery === 10) await this.readInProcess();
    else if (chance < 0.5) await this.next();
    else if (chance < 0.8) this.takeUpOlder();
    else await this.close();
  }

  async close(): Promise<void> {
    await this.reader?.close();
    this.reader = undefined;
  }

  private keep(page: ResultsPage): void {
    this.stored.push({ entries: this.log.length, cursor: this.cursor });
    this.log.push(...page.entries);
    this.cursor = page.cursor;
    this.longestCursor = Math.max(this.longestCursor, page.cursor.length);
  }

  private takeUpOlder(): void {
    const back = 1 + Math.floor(Math.random() * 10);
    const older = this.stored[Math.max(0, this.stored.length - back)];
    if (!older) return;
    this.stored.splice(Math.max(0, this.stored.length - back));
    this.log.length = older.entries;
    this.cursor = older.cursor;
  }

  /** Nothing where the store is in trouble, as far as this reader goes: it asks again from where it is. */
  private async next(): Promise<ResultsPage | undefined> {
    return await attempt(async () => {
      this.reader ??= await openReader(this.place);
      const limit = 1 + Math.floor(Math.random() * 100);
      const query = { kinds: resultKinds, filter: {}, limit, absent: 'hold' as const };
      return await this.reader.results.after(simulated, this.cursor, query);
    });
  }

  /** Another process reads on and is killed after some pages; what had come from it whole is kept. */
  private async readInProcess(): Promise<void> {
    const program = join(import.meta.dirname, 'cursor-reader.ts');
    const words = [program, JSON.stringify(this.place), ...(this.cursor === undefined ? [] : [this.cursor])];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    let pages = 1 + Math.floor(Math.random() * 6);
    for await (const line of createInterface({ input: child.stdout })) {
      if (pages-- > 0) this.keep(JSON.parse(line) as ResultsPage);
      if (pages === 0) child.kill('SIGKILL');
    }
    await gone;
    this.kills++;
  }
}

async function attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isStorageTrouble(error)) throw error;
    await clock.sleep(50);
    return undefined;
  }
}
