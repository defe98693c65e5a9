// ci: core
// watches: packages/coordinator/src/sqlite, packages/coordinator/src/frontier/sqlite, packages/coordinator/src/crawl
// watches: packages/coordinator/src/results, packages/coordinator/src/folder, packages/worker/src/save
// watches: packages/worker/src/session, packages/worker/src/archive, packages/cli/src/crawl, packages/cli/src/crawling
// watches: packages/cli/src/local, packages/cli/src/processes
// misses: loss or repetition after a crash in the middle of a crawl
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { LogEntry } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type ArchiveFindings, checkArchive, isWhole } from './archive-check.ts';
import { judgeFolder } from './judge-folder.ts';
import { type FolderContents, differences, readContents, settledUrls } from './folder-contents.ts';
import { addTo, emptyTotals, type Totals } from './totals.ts';
import {
  argument,
  briskJob,
  childrenOf,
  isAlive,
  labGapMs,
  processesOf,
  smallJob,
  startCrawler,
  until,
  workFolder,
  writeJob,
} from './lab.ts';

// ci: rated, because it judges how soon a crawl restarts.

const sizes = { quick: { kills: 4 }, full: { kills: 200 } } as const;
/** A crashed run resumes this soon, plus the gap. */
const restartLimitMs = 2_000;
/** On a machine that is busy: at most this many times what a first start takes there. */
const restartLimitRatio = 3;

/** A worker process whose parent was killed is gone this soon, on a machine that may be busy. */
const orphanLimitMs = 5_000;

/**
 * Kills the crawl at random moments and types the same command again, until it has finished. With `--processes N`
 * every other kill is of one worker process: then the crawl itself must go on.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const wanted = Number(argument(args, '--count') ?? size.kills);
  const processes = processesOf(args);
  const work = workFolder('kill');
  const fake = await startFakeWeb({ size: 'S', seed: 2 });
  const job = join(work.path, 'job.json');
  const brisk = briskJob(fake);
  const expect = brisk.expect;
  const scraper = join(import.meta.dirname, 'titles-scraper.ts');
  await writeJob(job, { ...brisk.job, scraper, processes });
  try {
    const calm = join(work.path, 'calm.crawl');
    await fake.reset();
    const calmStartNs = Number(process.hrtime.bigint());
    if ((await startCrawler(job, calm).ended) !== 0) throw new Error('the undisturbed crawl failed');
    const startMs = firstRequestMs(await fake.log(), calmStartNs) ?? 0;
    if (!isWhole(await checkArchive(calm))) throw new Error('the archive of the undisturbed crawl has gaps');
    const reference = await readContents(calm);
    const total = nothingYet();
    for (let crawl = 0; total.kills < wanted; crawl++) {
      const folder = join(work.path, `killed-${crawl}.crawl`);
      await fake.reset();
      await crawlUnderFire({ fake, job, folder, total, wanted, reference, expect });
      console.error(
        `  ${total.kills} of ${wanted} kills, ${total.repeats} repeats of ${total.repeatsAllowed} allowed`,
      );
    }
    const lostInControl = await control(fake, work.path, scraper);
    const { restarts, ok, ...figures } = total;
    const restartMs = Math.round(Math.max(0, ...restarts));
    const restartMedianMs = median(restarts);
    // The worst of many restarts says how busy the machine was just then: the middle one is judged.
    const limitMs = Math.max(restartLimitMs + labGapMs, startMs * restartLimitRatio);
    const fast = restartMedianMs <= limitMs;
    return {
      tooSlow: !fast,
      tooEasy: lostInControl === 0,
      ok: ok && total.orphanProcesses === 0 && total.repeats <= total.repeatsAllowed,
      result: {
        ...figures,
        startMs: Math.round(startMs),
        restartMs,
        restartMedianMs,
        lostInControl,
        sizes: { ...size, processes },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface KillTotals extends Totals {
  ok: boolean;
  kills: number;
  /** Of those, kills of one worker process while the crawl went on. */
  workerKills: number;
  /** Worker processes that outlived a killed crawl. */
  orphanProcesses: number;
  repeatsAllowed: number;
  itemsDiffer: number;
  cdxjDiffer: number;
  indexLines: number;
  /** Lines of the index that do not lead to their capture. */
  wrongIndexLines: number;
  /** Results that the index does not lead to, or that refer to a capture which is not there. */
  unindexed: number;
  unreadableFiles: number;
  /** Captures that the index does not name. */
  orphans: number;
  restarts: number[];
}

function nothingYet(): KillTotals {
  const own = {
    ok: true,
    kills: 0,
    workerKills: 0,
    orphanProcesses: 0,
    repeatsAllowed: 0,
    itemsDiffer: 0,
    cdxjDiffer: 0,
    indexLines: 0,
    wrongIndexLines: 0,
    unindexed: 0,
    unreadableFiles: 0,
    orphans: 0,
    restarts: [],
  };
  return { ...emptyTotals(), ...own };
}

interface Fire {
  fake: FakeWeb;
  job: string;
  folder: string;
  total: KillTotals;
  wanted: number;
  reference: FolderContents;
  expect: ExpectOptions;
}

async function crawlUnderFire({ fake, job, folder, total, wanted, reference, expect }: Fire): Promise<void> {
  for (let first = true; ; first = false) {
    const startedNs = Number(process.hrtime.bigint());
    const crawler = startCrawler(job, folder);
    const gone = crawler.ended.then((code) => ({ code }));
    let workers: number[] = [];
    let fate: { code: number | string } | undefined;
    for (;;) {
      const calm = total.kills >= wanted;
      fate = await Promise.race([gone, calm ? later(240_000) : randomMoment(fake, gone)]);
      workers = childrenOf(crawler.child.pid ?? 0);
      // Every other kill, where there are worker processes, hits one of them, and the crawl goes on.
      const victim = workers[Math.floor(Math.random() * workers.length)];
      if (fate || calm || victim === undefined || total.kills % 2 === 1) break;
      process.kill(victim, 'SIGKILL');
      total.kills++;
      total.workerKills++;
      total.repeatsAllowed += (await openRequests(fake, folder, startedNs)).size;
    }
    if (fate) {
      if (fate.code !== 0) throw new Error(`ended with ${fate.code}:\n${crawler.output()}`);
      break;
    }
    crawler.child.kill('SIGKILL');
    await crawler.ended;
    total.kills++;
    await until('workers to end', () => !workers.some(isAlive), orphanLimitMs).catch(() => {
      total.orphanProcesses += workers.filter(isAlive).length;
    });
    const log = await fake.log();
    const settled = await settledUrls(folder);
    const restartMs = firstRequestMs(log, startedNs);
    if (!first && restartMs !== undefined && settled.queued > 50) total.restarts.push(restartMs);
    total.repeatsAllowed += (await openRequests(fake, folder, startedNs)).size;
  }
  await compare({ fake, job, folder, total, wanted, reference, expect });
}

/** URLs that were asked for since then and have no outcome yet: these may be asked for once more. */
async function openRequests(fake: FakeWeb, folder: string, sinceNs: number): Promise<Set<string>> {
  const settled = await settledUrls(folder);
  const log = await fake.log();
  const started = log.filter((entry) => entry.startNs >= sinceNs && entry.path !== '/robots.txt');
  return new Set(started.map((entry) => urlOf(fake, entry)).filter((url) => !settled.urls.has(url)));
}

async function compare({ fake, folder, total, reference, expect }: Fire): Promise<void> {
  const judgement = await judgeFolder(fake, folder, expect);
  const contents = await readContents(folder);
  addTo(total, judgement);
  total.itemsDiffer += differences(reference.items, contents.items);
  total.cdxjDiffer += differences(reference.cdxj, contents.cdxj);
  const archive = await checkArchive(folder);
  addArchive(total, archive);
  const same =
    total.itemsDiffer === 0 &&
    total.cdxjDiffer === 0 &&
    isWhole(archive) &&
    archive.orphans <= judgement.repeats;
  const good = holds(judgement, { repeats: Number.POSITIVE_INFINITY }) && same;
  if (!good) console.error(JSON.stringify({ folder, ...judgement, archive: firstOf(archive) }, null, 1));
  total.ok &&= good;
}

function addArchive(total: KillTotals, archive: ArchiveFindings): void {
  total.indexLines += archive.indexLines;
  total.wrongIndexLines += archive.wrongLines.length;
  total.unindexed += archive.unindexed.length + archive.dangling.length;
  total.unreadableFiles += archive.unreadable.length;
  total.orphans += archive.orphans;
}

/** Enough of each list to look at. */
function firstOf({ wrongLines, unindexed, dangling, ...counts }: ArchiveFindings) {
  const few = (list: string[]) => list.slice(0, 5);
  return { ...counts, wrongLines: few(wrongLines), unindexed: few(unindexed), dangling: few(dangling) };
}

/**
 * With the safeguard off, the same judge must find loss: otherwise it proves nothing. The crawl dies when the outcome of its
 * seed is stored and the seed's links are not, so nothing leads to the other pages any more.
 */
async function control(fake: FakeWeb, under: string, scraper: string): Promise<number> {
  const { job, expect } = smallJob(fake);
  const file = join(under, 'control.json');
  await writeJob(file, { ...job, scraper });
  await fake.reset();
  const folder = join(under, 'control.crawl');
  for (const fate of ['die', 'finish']) {
    const args = [join(import.meta.dirname, 'control-crawler.ts'), file, folder, fate];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await new Promise((done) => child.once('exit', done));
  }
  return (await judgeFolder(fake, folder, expect)).lost;
}

/** Some time after the crawl has begun to ask, so that every kill hits a crawl at work. */
async function randomMoment(fake: FakeWeb, gone: Promise<unknown>): Promise<undefined> {
  let over = false;
  void gone.then(() => {
    over = true;
  });
  const { requests } = await fake.stats();
  await until('the first request', async () => over || (await fake.stats()).requests > requests, 60_000);
  await later(Math.random() * 1_500);
  return undefined;
}

/** How long after that moment the first request came. */
function firstRequestMs(log: readonly LogEntry[], sinceNs: number): number | undefined {
  const first = log.find((entry) => entry.startNs >= sinceNs);
  return first && (first.startNs - sinceNs) / 1e6;
}

function urlOf(fake: FakeWeb, { scheme, host, path }: LogEntry): string {
  return `${scheme}://${host}:${scheme === 'http' ? fake.httpPort : fake.httpsPort}${path}`;
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}

function median(values: number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
