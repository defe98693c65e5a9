import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { backupFolder } from '@webfarer/coordinator';
import { snapshotStore } from '@webfarer/coordinator/redis';
import { systemClock } from '@webfarer/protocol';
import { faultJob } from '../faults/fault-job.ts';
import { startNetworkSystem } from '../faults/network-system.ts';
import { progress } from '../faults/restore.ts';
import { isWhole } from '../faults/store-part.ts';
import type { System } from '../faults/system.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { Judgement } from '../judge/judge.ts';
import { judgeFolder } from './judge-folder.ts';
import { commandPath, startCrawler, until } from './lab.ts';
import { finish, isRight, lostOf, onFakeWeb, type Trial } from './restored-crawl.ts';

const run = promisify(execFile);
const gapMs = 100;
const maxTries = 3;
const workers = 2;
/**
 * Requests that are made again, of those before the loss: from archives at most this share, for robots.txt and what was in
 * flight. From nothing at least the other, or there was little to spare.
 */
const repeatedShare = { most: 0.25, leastOfNothing: 0.5 };

export interface TotalLoss {
  ok: boolean;
  figures: Record<string, Figures>;
}

interface Figures {
  trials: number;
  lost: number;
  duplicates: number;
  /** Requests before the loss. */
  before: number;
  /** Requests for what had been asked for before. */
  repeats: number;
}

/** A way back, and what it leaves; undefined where the crawl had ended by then. */
type Way = (stage: Stage) => Promise<Judgement | undefined>;

interface Stage {
  fake: FakeWeb;
  system: System;
  under: string;
  few: boolean;
}

const ways: Record<string, { store: 'sqlite' | 'server' | 'cluster'; way: Way; isLong?: true }> = {
  backup: { store: 'sqlite', way: fromBackup },
  snapshot: { store: 'server', way: fromSnapshot },
  snapshotOfCluster: { store: 'cluster', way: fromSnapshot, isLong: true },
  archive: { store: 'sqlite', way: fromArchive },
  nothing: { store: 'sqlite', way: fromNothing },
};

/**
 * The store, the catalog and the folder of the coordinator are erased in the middle of a crawl. What is left is a copy
 * that was made while it ran, or the archives of the workers: either way the crawl must end with the same set of pages. From
 * nothing everything is asked for again, and from archives hardly anything.
 */
export async function loseAll(trial: Trial, trials: number): Promise<TotalLoss> {
  const figures: Record<string, Figures> = {};
  let ok = true;
  for (const [name, { way, store, isLong }] of Object.entries(ways)) {
    if (isLong && trial.quick) continue;
    const total: Figures = { trials, lost: 0, duplicates: 0, before: 0, repeats: 0 };
    for (let n = 0; n < trials; n++) {
      const { judgement, before } = await loseInTime(trial, {
        way,
        store,
        under: join(trial.under, `${name}-${n}`),
      });
      if (!isRight(judgement)) console.error(name, JSON.stringify(judgement, null, 1));
      ok &&= isRight(judgement);
      total.lost += lostOf(judgement);
      total.duplicates += judgement.duplicates;
      total.before += before;
      total.repeats += judgement.repeats;
    }
    console.error(`  total loss, ${name}: ${JSON.stringify(total)}`);
    figures[name] = total;
  }
  const { archive, nothing } = figures;
  const spares =
    shareRepeated(archive) < repeatedShare.most && shareRepeated(nothing) > repeatedShare.leastOfNothing;
  return { ok: ok && spares, figures };
}

/** Of the requests that were made before the loss. */
function shareRepeated(figures: Figures | undefined): number {
  return figures === undefined ? Number.NaN : figures.repeats / figures.before;
}

/** On a slow machine a crawl may end while its copy is made: then there is nothing to lose, and it is tried again. */
async function loseInTime(trial: Trial, loss: Loss): Promise<{ judgement: Judgement; before: number }> {
  for (let tries = 1; ; tries++) {
    const found = await loseOnce(trial, { ...loss, under: `${loss.under}-${tries}` });
    if (found.judgement) return { judgement: found.judgement, before: found.before };
    if (tries === maxTries) throw new Error(`the crawl ended too soon, ${maxTries} times`);
  }
}

interface Loss {
  way: Way;
  store: 'sqlite' | 'server' | 'cluster';
  under: string;
}

async function loseOnce(
  { quick, random }: Trial,
  { way, store, under }: Loss,
): Promise<{ judgement: Judgement | undefined; before: number }> {
  mkdirSync(under, { recursive: true });
  return await onFakeWeb(async (fake) => {
    const system = await startNetworkSystem({
      fake,
      under,
      store,
      workers,
      coordinators: store === 'sqlite' ? 1 : 2,
      few: quick,
      gapMs,
    });
    try {
      if (!(await progress(system, 100 + random.below(100)))) return { judgement: undefined, before: 0 };
      const before = (await fake.stats()).requests;
      return { judgement: await way({ fake, system, under, few: quick }), before };
    } finally {
      await system.stop();
    }
  });
}

const dataOf = (under: string): string => join(under, 'coordinator-1');

async function loseCoordinator({ system, under }: Stage): Promise<void> {
  for (const coordinator of system.parts('coordinator')) await coordinator.kill();
  rmSync(dataOf(under), { recursive: true });
}

/** Workers stay up, as those of other machines would. */
async function fromBackup(stage: Stage): Promise<Judgement | undefined> {
  const { system, under } = stage;
  const copy = join(under, 'copy');
  // As the command does, without the time that a process takes to start.
  const now = systemClock().now();
  await backupFolder({ folder: dataOf(under), to: copy, withBodies: false, nowMs: now, onFile: () => {} });
  if (!(await progress(system, 60))) return undefined;
  await loseCoordinator(stage);
  cpSync(copy, dataOf(under), { recursive: true });
  for (const coordinator of system.parts('coordinator')) await coordinator.restart();
  await finish(system);
  return await system.judge();
}

/** Coordinators and workers stay up; the servers come back with nothing but their copies. */
async function fromSnapshot({ system, under }: Stage): Promise<Judgement | undefined> {
  const { store } = system;
  if (!store) throw new Error('no store');
  const clock = systemClock();
  const { shards } = await snapshotStore({ url: store.url, insecure: true, clock, onSaved: () => {} });
  const files = shards.map(({ file }) => file as string);
  for (const [n, file] of files.entries()) cpSync(file, join(under, `${n}.rdb`));
  if (!(await progress(system, 60))) return undefined;
  await Promise.all(store.nodes.map((node) => node.kill('SIGKILL')));
  for (const { folder } of store.nodes) {
    rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    rmSync(join(folder, 'dump.rdb'), { force: true });
  }
  for (const [n, file] of files.entries()) putBack(join(under, `${n}.rdb`), dirname(file));
  await Promise.all(store.nodes.map((node) => node.restart()));
  if (store.nodes.length > 1) await until('a whole cluster', () => isWhole(store), 60_000);
  await finish(system);
  return await system.judge();
}

/** A server that keeps a log begins it with the copy. */
function putBack(copy: string, folder: string): void {
  const log = join(folder, 'appendonlydir');
  mkdirSync(log, { recursive: true });
  cpSync(copy, join(log, 'appendonly.aof.1.base.rdb'));
  writeFileSync(join(log, 'appendonly.aof.manifest'), 'file appendonly.aof.1.base.rdb seq 1 type b\n');
}

async function fromArchive(stage: Stage): Promise<Judgement> {
  const { system, under } = stage;
  await loseCoordinator(stage);
  for (const worker of system.parts('worker')) await worker.kill();
  const archives = globSync(join(under, 'worker-*', '*.crawl')).filter((one) =>
    existsSync(join(one, 'archive')),
  );
  if (archives.length !== workers) throw new Error(`archives: ${archives.join(', ')}`);
  const folder = join(under, 'rebuilt.crawl');
  await run(process.execPath, [commandPath, 'rebuild', ...archives, '--out', folder]);
  return await crawlAgain(stage, folder);
}

async function fromNothing(stage: Stage): Promise<Judgement> {
  await loseCoordinator(stage);
  for (const worker of stage.system.parts('worker')) await worker.kill();
  return await crawlAgain(stage, join(stage.under, 'again.crawl'));
}

/** On one machine, by the same job. */
async function crawlAgain({ fake, under, few }: Stage, folder: string): Promise<Judgement> {
  const crawler = startCrawler(join(under, 'job.json'), folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
  return await judgeFolder(fake, folder, faultJob(fake, { few, gapMs }).expect);
}
