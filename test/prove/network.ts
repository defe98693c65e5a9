// ci: core
// watches: packages/coordinator/src/link, packages/coordinator/src/network, packages/coordinator/src/frontier/sqlite
// watches: packages/coordinator/src/results, packages/coordinator/src/sqlite, packages/worker/src/link
// watches: packages/worker/src/session, packages/worker/src/save, packages/cli/src/network, packages/cli/src/commands
// watches: packages/protocol/src/link
// misses: repeated or lost requests when a coordinator or a worker dies
import { join } from 'node:path';
import { openSqliteFrontier } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds, type Judgement } from '../judge/judge.ts';
import { networkContents } from '../network/contents.ts';
import { type Network, startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { settledUrls } from './folder-contents.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, until, workFolder, writeJob } from './lab.ts';
import { addTo, emptyTotals } from './totals.ts';

const sizes = {
  quick: { kills: 4, killsEach: 2, workers: 3 },
  /** In one crawl, as many as it lasts for. */
  full: { kills: 40, killsEach: 8, workers: 3 },
} as const;
const CRAWL_MS = 240_000;
const COORDINATOR_KILLS = 4;

/**
 * One SQLite coordinator and three workers, each a process of its own. First the coordinator is killed and started
 * again a few times: the web must not notice, not one request may be repeated. Then workers are killed: what they had
 * in flight may be asked for once more, nothing else. Bodies are on the disks of the workers in one crawl and on that of
 * the coordinator in the next; either way every record has its own, as a reader that is not ours finds them. Then a rule
 * is broken: the restarted coordinator takes its workers for dead. That must show.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const wanted = Number(argument(args, '--count') ?? size.kills);
  const work = workFolder('network');
  const fake = await startFakeWeb({ size: 'S', seed: 4 });
  const job = join(work.path, 'job.json');
  const brisk = briskJob(fake);
  const scraper = join(import.meta.dirname, 'titles-scraper.ts');
  await writeJob(job, { ...brisk.job, scraper });
  const sentJob = join(work.path, 'sent.json');
  await writeJob(sentJob, { ...brisk.job, scraper, save: [{ warc: { at: 'coordinator', rotate: '1MB' } }] });
  const { workers, killsEach } = size;
  const trial: Trial = { fake, job, under: work.path, expect: brisk.expect, workers };
  try {
    const total = {
      ...emptyTotals(),
      kills: 0,
      coordinatorKills: 0,
      needless: 0,
      itemsDiffer: 0,
      misplaced: 0,
      atWorkers: 0,
      atCoordinator: 0,
    };
    let ok = true;
    let [repeatsAllowed, longestStallMs] = [0, 0];
    for (let crawl = 0; total.kills < wanted; crawl++) {
      const kills = Math.min(killsEach, wanted - total.kills);
      const sent = crawl % 2 === 1;
      const figures = await underFire(
        { ...trial, job: sent ? sentJob : job },
        { name: `fire-${crawl}`, kills },
      );
      addTo(total, figures.judgement);
      total.kills += figures.kills;
      total.coordinatorKills += figures.coordinatorKills;
      total.itemsDiffer += figures.itemsDiffer;
      total.misplaced += figures.misplaced;
      total.atWorkers += figures.atWorkers;
      total.atCoordinator += figures.atCoordinator;
      total.needless += figures.needless;
      repeatsAllowed += figures.repeatsAllowed;
      longestStallMs = Math.max(longestStallMs, figures.stallMs);
      const elsewhere = sent ? figures.atWorkers : figures.atCoordinator;
      const good = holds(figures.judgement, { repeats: figures.repeatsAllowed }) && elsewhere === 0;
      if (!good) console.error(JSON.stringify(figures.judgement, null, 1));
      ok &&= good;
      console.error(
        `  ${total.kills} of ${wanted} kills, ${total.repeats} repeats of ${repeatsAllowed} allowed, stall ${figures.stallMs} ms`,
      );
    }
    const control = await brokenRestart(trial);
    return {
      ok: ok && total.needless === 0 && total.itemsDiffer === 0 && total.misplaced === 0,
      tooEasy: control === 0 || total.atWorkers === 0,
      result: {
        ...total,
        repeatsAllowed,
        stallMs: longestStallMs,
        violationsInControl: control,
        sizes: size,
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface Trial {
  fake: FakeWeb;
  job: string;
  under: string;
  expect: ExpectOptions;
  workers: number;
}

interface Fire {
  judgement: Judgement;
  itemsDiffer: number;
  misplaced: number;
  /** Captures that records point at. */
  atWorkers: number;
  atCoordinator: number;
  kills: number;
  coordinatorKills: number;
  /** Requests made again although only the coordinator had been killed. */
  needless: number;
  /** Requests without an outcome when a worker was killed: these may be made once more. */
  repeatsAllowed: number;
  /** Longest time without any request while the crawl went on. */
  stallMs: number;
}

async function underFire(trial: Trial, { name, kills }: { name: string; kills: number }): Promise<Fire> {
  const { fake, job, expect, workers } = trial;
  await fake.reset();
  const under = join(trial.under, name);
  const network = await startNetwork({ job, under, workers, untilDone: true });
  const coordinator = network.coordinators[0] as Network['coordinators'][number];
  const done = { kills: 0, coordinatorKills: 0, needless: 0, repeatsAllowed: 0 };
  try {
    const ofCoordinator = Math.min(COORDINATOR_KILLS, Math.ceil(kills / 2));
    while (done.kills < kills && (await isUnderWay(fake, coordinator))) {
      const hitsCoordinator = done.kills < ofCoordinator;
      const victim = hitsCoordinator
        ? coordinator
        : (network.workers[Math.floor(Math.random() * workers)] as Network['workers'][number]);
      if (!hitsCoordinator && done.kills === ofCoordinator)
        done.needless = (await judgeFolder(fake, coordinator.folder, expect)).repeats;
      await victim.kill();
      done.kills++;
      if (hitsCoordinator) done.coordinatorKills++;
      else done.repeatsAllowed += await openRequests(fake, coordinator.folder);
      await later(Math.random() * 300);
      await victim.start();
    }
    const code = await Promise.race([coordinator.ended(), later(CRAWL_MS)]);
    if (code !== 0) throw new Error(`the coordinator ended with ${code}:\n${everything(network)}`);
    await Promise.all(network.workers.map((worker) => worker.stop()));
    const judgement = await judgeFolder(fake, coordinator.folder, expect);
    const contents = await networkContents(
      coordinator.folder,
      network.workers.map(({ folder }) => folder),
    );
    return { judgement, ...contents, ...done, stallMs: longestStall(await fake.log()) };
  } finally {
    await network.end();
  }
}

/**
 * The rule broken by hand: while the coordinator is down, all leases are freed, as a crawl on one machine may do.
 * The workers are alive and go on, others get the same hosts: URLs are asked for twice.
 */
async function brokenRestart(trial: Trial): Promise<number> {
  const { fake, job, expect, workers } = trial;
  await fake.reset();
  const under = join(trial.under, 'control');
  const network = await startNetwork({ job, under, workers, untilDone: true });
  const coordinator = network.coordinators[0] as Network['coordinators'][number];
  try {
    for (let round = 0; round < 3 && (await isUnderWay(fake, coordinator)); round++) {
      await coordinator.kill();
      const path = join(coordinator.folder, 'crawl.db');
      const frontier = openSqliteFrontier({ path, clock: systemClock() });
      await frontier.releaseAll();
      await frontier.close();
      await coordinator.start();
    }
    await isUnderWay(fake, coordinator);
    const { gapViolations, repeats } = await judgeFolder(fake, coordinator.folder, expect);
    return gapViolations + repeats;
  } finally {
    await network.end();
  }
}

/** Some time after work goes on, so that every kill hits a crawl at work; false when it is over by then. */
async function isUnderWay(fake: FakeWeb, coordinator: Network['coordinators'][number]): Promise<boolean> {
  const { requests } = await fake.stats();
  const enough = async () => (await fake.stats()).requests > requests + 20;
  await until('work to go on', async () => !coordinator.running || (await enough()), 60_000);
  await later(Math.random() * 800);
  return coordinator.running;
}

async function openRequests(fake: FakeWeb, folder: string): Promise<number> {
  const settled = (await settledUrls(folder)).urls;
  const asked = (await fake.log()).filter(({ path }) => path !== '/robots.txt');
  const urls = asked.map(
    ({ scheme, host, path }) =>
      `${scheme}://${host}:${scheme === 'http' ? fake.httpPort : fake.httpsPort}${path}`,
  );
  return new Set(urls.filter((url) => !settled.has(url))).size;
}

function longestStall(log: { startNs: number }[]): number {
  const starts = log.map(({ startNs }) => startNs).toSorted((a, b) => a - b);
  let longest = 0;
  for (let i = 1; i < starts.length; i++)
    longest = Math.max(longest, (starts[i] ?? 0) - (starts[i - 1] ?? 0));
  return Math.round(longest / 1e6);
}

function everything(network: Network): string {
  return [...network.coordinators, ...network.workers]
    .map((one) => `--- ${one.name}\n${one.output().slice(-3_000)}`)
    .join('\n');
}

function later(ms: number): Promise<'late'> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'late' as const));
}
