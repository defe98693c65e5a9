// watches: packages/coordinator/src/own-crawls, packages/coordinator/src/catalog, packages/coordinator/src/ledger
// watches: packages/coordinator/src/crawl, packages/coordinator/src/registry, packages/coordinator/src/link
// watches: packages/worker/src/crawls, packages/worker/src/link
// misses: traces of deleted crawls, and hosts asked too soon by several crawls
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry } from '../fake-web/request-log.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { folderRecords } from '../judge/folder-records.ts';
import { judgeRecords } from '../judge/judge-records.ts';
import { judgeRequests } from '../judge/judge-requests.ts';
import { leftFiles, leftRows } from '../many/left-files.ts';
import { type Ending, type Plan, play, type Stage } from '../many/scenario.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { leftKeys } from '../redis/left-keys.ts';
import { startRedis } from '../redis/servers.ts';
import { argument, workFolder } from './lab.ts';

const plans = {
  quick: {
    kept: 3,
    deleted: 2,
    workers: 2,
    kills: 1,
    gapMs: 20,
    hosts: /^((www\.)?hub|alpha|bravo)/,
    withinMs: 120_000,
  },
  full: {
    kept: 8,
    deleted: 8,
    workers: 4,
    kills: 6,
    gapMs: 30,
    hosts: /^((www\.)?hub|alpha|bravo|delta|gamma|kappa|atlas|forum)/,
    withinMs: 600_000,
  },
} as const;
/** Crawls of the same hosts without a ledger: the judge finds gaps that are too short. */
const control = { kept: 2, deleted: 0, workers: 1, kills: 0 };
/** The largest share of leases over an even share, while all have work. */
const mostUneven = 1.3;
/** Workers free what they keep of a deleted crawl after it is gone at the coordinators. */
const workersFreeWithinMs = 30_000;
/** As the coordinator hands them out to a crawl with a gap. */
const urlsPerLease = 10;

/**
 * Crawls of the same hosts, created and deleted by calls while they run: on one coordinator with SQLite and on three with
 * a Redis cluster. Coordinators and workers are killed on the way. The web's own log judges gaps and shares, the records
 * are compared with what is right, and every key, row and file, those of workers too, is searched for traces of what was
 * deleted. The control has no host ledger: there the judge finds gaps that are too short.
 * `--store sqlite` or `--store redis` runs one half; `--kills N --deleted N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? plans.quick : plans.full;
  const number = (name: 'kills' | 'deleted') => Number(argument(args, `--${name}`) ?? usual[name]);
  const plan = { ...usual, kills: number('kills'), deleted: number('deleted') };
  const chosen = argument(args, '--store');
  const work = workFolder('many-crawls');
  try {
    const names = (['sqlite', 'redis'] as const).filter((name) => chosen === undefined || chosen === name);
    const halves = [];
    for (const name of names)
      halves.push({ name, ...(await proveHalf(name, { half: plan, under: join(work.path, name) })) });
    const alone = { half: { ...plan, ...control }, under: join(work.path, 'control'), withoutLedger: true };
    const { gapViolations } = await proveHalf('sqlite', alone);
    return {
      ok: halves.every(({ ok }) => ok),
      tooEasy: gapViolations === 0,
      result: {
        ...Object.fromEntries(halves.map(({ name, ok: _ok, ...found }) => [name, found])),
        gapViolationsWithoutLedger: gapViolations,
        sizes: { ...plan, hosts: plan.hosts.source },
      },
    };
  } finally {
    work.remove();
  }
}

type Half = Omit<Plan, 'coordinators'>;

interface HalfOptions {
  half: Half;
  under: string;
  withoutLedger?: boolean;
}

async function proveHalf(name: 'sqlite' | 'redis', { half, under, withoutLedger = false }: HalfOptions) {
  mkdirSync(under, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 4 });
  const redis = name === 'redis' ? await startRedis({ primaries: 3 }) : undefined;
  const stage: Stage = { fake, under, withoutLedger, ...(redis ? { redis } : {}) };
  let ending: Ending | undefined;
  try {
    ending = await play(stage, { ...half, coordinators: redis ? 3 : 1 });
    const log = await fake.log();
    const crawls = await judgeCrawls(stage, ending);
    const { gapViolations, minGapMs, maxInFlightPerHost, disallowed, requests, requestExamples } =
      judgeRequests({ web: fake.web, expect: ending.expect, log, gapMs: half.gapMs, epsilonMs: 1 });
    const left = await lookForTraces(stage, ending);
    const leases = leasesWhileAllHadWork(log, ending);
    const fair = unevenness(leases);
    const sum = (field: 'expected' | 'recorded' | 'lost' | 'extra' | 'duplicates') =>
      crawls.reduce((all, one) => all + one[field], 0);
    const found = {
      crawls: ending.kept.length + ending.again.length + ending.deleted.length,
      expected: sum('expected'),
      recorded: sum('recorded'),
      lost: sum('lost'),
      extra: sum('extra'),
      duplicates: sum('duplicates'),
      gapViolations,
      minGapMs,
      maxInFlightPerHost,
      disallowed,
      requests,
      fair,
      leasesJudged: leases.reduce((all, one) => all + one, 0),
      deleted: ending.deleted.length,
      keysBefore: ending.keysBefore,
      leftKeys: left.keys.length,
      leftRows: left.rows.length,
      leftFiles: left.files.length,
      workerFilesBefore: ending.workerFilesBefore,
      leftFilesAtWorkers: left.atWorkers.length,
      deletedBytes: ending.deletedBytes,
      killed: ending.killed,
    };
    const zeros = [
      'lost',
      'extra',
      'duplicates',
      'gapViolations',
      'disallowed',
      'leftKeys',
      'leftRows',
      'leftFiles',
      'leftFilesAtWorkers',
    ] as const;
    const ok =
      zeros.every((field) => found[field] === 0) &&
      found.recorded === found.expected &&
      maxInFlightPerHost === 1 &&
      (found.deleted === 0 || (found.deletedBytes > 0 && found.workerFilesBefore > 0)) &&
      (found.deleted === 0 || name === 'sqlite' || found.keysBefore > 0) &&
      fair > 0 &&
      fair <= mostUneven;
    return {
      ok,
      ...found,
      ...(ok ? {} : { perCrawl: crawls, leases, gaps: requestExamples.gaps, left }),
    };
  } finally {
    await ending?.end();
    await redis?.stop();
    await fake.stop();
  }
}

async function judgeCrawls({ fake }: Stage, { kept, again, expect }: Ending) {
  return await Promise.all(
    [...kept, ...again].map(async ({ name, folders }) => {
      const { records } = await folderRecords(folders[0] ?? '');
      const found = await judgeRecords({ web: fake.web, expect, records, hostPages: fake.web.hostBudget() });
      const { expected, recorded, lost, extra, duplicates, recordExamples } = found;
      return {
        name,
        expected,
        recorded,
        lost,
        extra,
        duplicates,
        ...(lost + extra + duplicates === 0 ? {} : { recordExamples }),
      };
    }),
  );
}

/** Deleted crawls by the word that only they have: the contact in their job, which is in every copy of it. */
async function lookForTraces({ redis, under }: Stage, { deleted, coordinators, workerFolders }: Ending) {
  const traces = deleted.flatMap((crawl) => (crawl.traces ? [crawl.traces] : []));
  const keys = redis ? (await leftKeys(redis, traces)).flat() : [];
  const words = traces.flatMap((one) => one.words);
  const files = coordinators.flatMap(({ folder }) => leftFiles(folder, words));
  const atWorkers = await leftAtWorkers(workerFolders, words);
  return { keys, rows: leftRows(under, words), files, atWorkers };
}

async function leftAtWorkers(folders: readonly string[], words: readonly string[]): Promise<string[]> {
  const endMs = performance.now() + workersFreeWithinMs;
  for (;;) {
    const left = folders.flatMap((folder) => leftFiles(folder, words));
    if (left.length === 0 || performance.now() > endMs) return left;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * The leases that each of the kept crawls had where all had work: of each host, from the first request of the crawl that
 * came last until the last request of the one that was done first, without the times when some crawls were not open at any
 * coordinator. The web sees leases as turns: requests of one crawl to a host without another crawl in between, and no more
 * of them than a lease has URLs.
 */
function leasesWhileAllHadWork(log: readonly LogEntry[], { kept: crawls, partlyOpen }: Ending): number[] {
  const isWhole = (atNs: number) => !partlyOpen.some(({ fromNs, toNs }) => atNs >= fromNs && atNs <= toNs);
  const requests = log
    .map(({ agent, host, startNs }) => ({
      crawl: crawls.findIndex(({ mark }) => agent.includes(mark)),
      host,
      startNs,
    }))
    .toSorted((a, b) => a.startNs - b.startNs);
  const leases = crawls.map(() => 0);
  for (const onHost of Map.groupBy(requests, ({ host }) => host).values()) {
    const times = crawls.map((_, n) =>
      onHost.flatMap(({ crawl, startNs }) => (crawl === n ? [startNs] : [])),
    );
    const from = Math.max(...times.map((all) => all[0] ?? Number.POSITIVE_INFINITY));
    const to = Math.min(...times.map((all) => all.at(-1) ?? 0));
    let turn = { crawl: -1, length: 0 };
    for (const { crawl, startNs } of onHost) {
      const goes = turn.crawl === crawl && turn.length < urlsPerLease;
      turn = { crawl, length: goes ? turn.length + 1 : 1 };
      if (!goes && crawl >= 0 && startNs >= from && startNs <= to && isWhole(startNs))
        leases[crawl] = (leases[crawl] ?? 0) + 1;
    }
  }
  return leases;
}

/** The largest number of leases of a crawl over an even share; 0 where there were none. */
function unevenness(leases: readonly number[]): number {
  const total = leases.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  return Math.round((Math.max(...leases) / (total / leases.length)) * 1_000) / 1_000;
}
