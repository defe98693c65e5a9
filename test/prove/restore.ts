// ci: long
// watches: packages/worker/src/link, packages/worker/src/session, packages/coordinator/src/frontier
// watches: packages/coordinator/src/folder, packages/coordinator/src/sqlite, packages/coordinator/src/redis
// watches: packages/coordinator/src/redis/snapshot, packages/coordinator/src/network
// watches: packages/coordinator/src/own-crawls, packages/cli/src/folder
// misses: a backup that cannot be resumed from without loss
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { crawlAfterForgetting } from '../faults/forget-again.ts';
import { startNetworkSystem } from '../faults/network-system.ts';
import { restoreOnce } from '../faults/restore.ts';
import { randomFrom, seedOf } from '../fuzz/random.ts';
import type { Judgement } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';
import { finish, isRight, lostOf, onFakeWeb, type Trial } from './restored-crawl.ts';
import { loseAll, type TotalLoss } from './total-loss.ts';

type StoreKind = 'sqlite' | 'server' | 'cluster' | 'folders';

const kinds = ['sqlite', 'server', 'cluster', 'folders'] as const;
/** Results of a group that stay in the store: so few that folders of coordinators soon have most of them. */
const fewResults = 2;
/** In one crawl: each adds about as much work as it takes away. */
const restoresEach = 4;
/** For quick forms. */
const briskGapMs = 30;

/** The cache as it was: what a store once knew is taken for known for ever. */
const oldCache: Change[] = [
  { file: 'packages/worker/src/link/known-offers.ts', from: ', trimmedIn: epoch }', to: ' }' },
  {
    file: 'packages/worker/src/link/known-offers.ts',
    from: 'there?.epoch === epoch ? there',
    to: 'there ? there',
  },
];

/**
 * Backups are put back under living workers: the folder of a SQLite coordinator, one Redis server, a Redis cluster, and a server
 * most of whose results are in the folders of three coordinators, which stay as they are and are then newer than the store; and
 * a crawl is erased from its store and begun again under the same name. Each URL of the web must be recorded in the end.
 * The control never clears what its workers take for known, and must lose. Then everything but a copy that was made while
 * it ran is lost, and everything but the archives: total-loss.ts.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--store') as StoreKind | undefined;
  const stores = only ? [only] : quick ? (['sqlite', 'folders'] as const) : kinds;
  const count = Number(argument(args, '--count') ?? (quick ? stores.length : 20));
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e9));
  const work = workFolder('restore');
  const sizes = { count, seed, stores };
  const trial = { random: randomFrom(seedOf(seed)), quick, under: work.path };
  try {
    if (quick) {
      const [restored, lostInControl] = await Promise.all([
        restoredCrawls(trial, stores, count),
        withOldCache(trial),
      ]);
      return resultOf({ ...restored, after: await loseAll(trial, 1), lostInControl, sizes });
    }
    const restored = await restoredCrawls(trial, stores, count);
    const under = join(work.path, 'again');
    const again = await onFakeWeb((fake) => crawlAfterForgetting({ fake, under, gapMs: briskGapMs }));
    if (!isRight(again)) console.error(JSON.stringify(again, null, 1));
    const ok = restored.ok && isRight(again);
    const total = { ...restored.total, forgotten: 1, lostAfterForgetting: lostOf(again) };
    const after = await loseAll(trial, Math.max(1, Math.round(count / 4)));
    return resultOf({ ok, total, after, lostInControl: await withOldCache(trial), sizes });
  } finally {
    work.remove();
  }
}

function resultOf(found: {
  ok: boolean;
  total: Record<string, number>;
  after: TotalLoss;
  lostInControl: number;
  sizes: Record<string, unknown>;
}): ProofResult {
  const { total, after, lostInControl, sizes } = found;
  return {
    ok: found.ok && after.ok,
    // Where no result was in a folder, none was newer than the store.
    tooEasy: lostInControl === 0 || total['inFolders'] === 0,
    result: { ...total, totalLoss: after.figures, lostInControl, sizes },
  };
}

async function restoredCrawls(trial: Trial, stores: readonly StoreKind[], count: number) {
  const total: Record<'restores' | 'lost' | 'duplicates' | 'extra' | 'repeats' | 'crawls', number> & {
    inFolders?: number;
  } = { restores: 0, lost: 0, duplicates: 0, extra: 0, repeats: 0, crawls: 0 };
  if (stores.includes('folders')) total.inFolders = 0;
  let ok = true;
  for (let crawl = 0; total.restores < count; crawl++) {
    const store = stores[crawl % stores.length] as StoreKind;
    const wanted = trial.quick ? 1 : Math.min(count - total.restores, restoresEach);
    const { restores, judgement, drained } = await restoredCrawl({
      ...trial,
      store,
      wanted,
      workers: trial.quick ? 2 : 3,
      name: `crawl-${crawl}`,
    });
    const good = isRight(judgement) && restores > 0;
    if (!good) console.error(JSON.stringify(judgement, null, 1));
    ok &&= good;
    total.crawls++;
    if (store === 'folders') total.inFolders = (total.inFolders ?? 0) + drained;
    total.restores += restores;
    total.lost += lostOf(judgement);
    for (const name of ['duplicates', 'extra', 'repeats'] as const) total[name] += judgement[name];
    console.error(`  ${total.restores} of ${count} restores, ${store}: lost ${lostOf(judgement)}`);
    if (restores === 0) break;
  }
  return { ok, total };
}

interface RestoredCrawl extends Trial {
  store: StoreKind;
  wanted: number;
  name: string;
  workers: number;
  command?: string;
}

interface Restored {
  restores: number;
  judgement: Judgement;
  /** Records that the folders of coordinators had in the end. */
  drained: number;
}

async function restoredCrawl(options: RestoredCrawl): Promise<Restored> {
  const { store, random, quick, command, workers } = options;
  const moments = quick ? { least: 30, most: 80 } : { least: 60, most: 210 };
  const under = join(options.under, options.name);
  mkdirSync(under, { recursive: true });
  const own = { ...(command === undefined ? {} : { command }), ...(quick ? { gapMs: briskGapMs } : {}) };
  return await onFakeWeb(async (fake) => {
    const inFolders = { store: 'server', coordinators: 3, backlog: fewResults } as const;
    const kept = store === 'folders' ? inFolders : { store, coordinators: store === 'sqlite' ? 1 : 2 };
    const parts = { fake, under, workers, few: quick, ...kept, ...own };
    const system = await startNetworkSystem(parts);
    let restores = 0;
    try {
      while (restores < options.wanted && (await restoreOnce(system, { under, random, moments }))) restores++;
      await finish(system);
      const judgement = await system.judge();
      return { restores, judgement, drained: judgement.drained };
    } finally {
      await system.stop();
    }
  });
}

/** The moment of the copy is random: one that every worker's cache happens to agree with loses nothing. */
const controlsAtMost = 5;

/** One worker, so that nobody else can tell the store what this one leaves out. */
async function withOldCache(trial: Trial): Promise<number> {
  const command = copyWith(oldCache, join(trial.under, 'control-source'));
  const wanted = trial.quick ? 1 : 2;
  for (let n = 1; ; n++) {
    const crawl = { ...trial, command, store: 'sqlite', wanted, workers: 1, name: `control-${n}` } as const;
    const { judgement } = await restoredCrawl(crawl);
    const lost = lostOf(judgement);
    console.error(`  control ${n}: lost ${lost}`);
    if (lost > 0 || n === controlsAtMost) return lost;
  }
}
