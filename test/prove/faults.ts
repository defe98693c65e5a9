// ci: core
// watches: packages/coordinator/src/frontier, packages/coordinator/src/redis, packages/coordinator/src/link
// watches: packages/coordinator/src/results, packages/coordinator/src/sqlite, packages/worker/src/link
// watches: packages/worker/src/session, packages/worker/src/save, packages/worker/src/objects
// watches: packages/worker/src/fetch, packages/cli/src/network, packages/cli/src/processes, packages/cli/src/crawling
// misses: loss and repetition under each kind of fault of docs/faults.md
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyWith } from '../faults/changed-source.ts';
import { runChurn } from '../faults/churn.ts';
import { controls } from '../faults/controls.ts';
import { divideSetUp } from '../faults/divide.ts';
import { faultGapMs, faultTimeoutMs } from '../faults/fault-job.ts';
import { measureBlindTimes } from '../faults/last-look.ts';
import { runObjectsRow } from '../faults/objects-row.ts';
import { addToLedger, testedCommit } from '../faults/ledger.ts';
import { type NetworkSystemOptions, startNetworkSystem } from '../faults/network-system.ts';
import { type RowName, rows } from '../faults/rows.ts';
import { runControl } from '../faults/run-control.ts';
import { type RowResult, runRow } from '../faults/run-row.ts';
import { kinds, someOfEach, strikes } from '../faults/strikes.ts';
import type { Strike } from '../faults/system.ts';
import type { WebSize } from '../fake-web/hosts.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

// ci: rated, because it judges stalls under faults.

const workers = 3;
/** Three primaries with a replica each. */
const servers = 6;
/** Of the steady rate, while coordinators and workers come and go. */
const leastThroughput = 0.7;
/** Of the quick form: one crawl lasts as long as all its faults, where several would start a network each. */
const quickGapMs = 300;
/** Results of a group that stay in the store where its servers are killed: the others are in files, and judged with them. */
const smallBacklog = 5;

/**
 * Crawls that are disturbed while they run, judged by the log of the web. `--row NAME --count N --minutes N --seed N`; what
 * was found goes into the ledger from which docs/faults.md is made.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const name = argument(args, '--row');
  const row = rows.find((one) => one.name === name);
  if (!row && !quick) throw new Error(`--row is one of: ${rows.map((one) => one.name).join(' ')}`);
  const minutes = argument(args, '--minutes');
  const usual = minutes !== undefined ? Number.MAX_SAFE_INTEGER : quick ? kinds : row?.promised;
  const count = Number(argument(args, '--count') ?? usual);
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e9));
  const violations = row ? {} : await runControls();
  const sizes = { count, seed };
  const result = await runNamed(row?.name, {
    ...sizes,
    few: quick,
    web: (argument(args, '--web') ?? 'M') as WebSize,
    ...(minutes === undefined ? {} : { forMs: Number(minutes) * 60_000 }),
  });
  const blind = row && row.name !== 'freeze' ? {} : await measureBlindTimes(quick ? 200 : 2_000);
  const commit = testedCommit();
  if (row && !quick && commit !== undefined) note(row.name, commit, result);
  return {
    ok: result.harm.length === 0 && result.unfinished === 0,
    tooSlow: 'throughput' in result && Number(result.throughput) < leastThroughput,
    tooEasy: Object.values(violations).some((n) => n === 0) || (drains(row?.name) && result.drained === 0),
    result: { row: row?.name ?? null, ...result, violationsWithout: violations, ...blind, sizes },
  };
}

interface Sizes {
  count: number;
  seed: number;
  forMs?: number;
  few: boolean;
  web: WebSize;
}

/** A row that needs surroundings of its own, or one of those that disturb crawls one after the other. */
async function runNamed(name: RowName | undefined, sizes: Sizes): Promise<RowResult> {
  if (name === 'partition') return await partitionCrawls(sizes);
  if (name === 'churn') return await runChurn(sizes);
  if (name === 's3') return await runObjectsRow({ ...sizes, few: true });
  const store = name === 'coordinator-kill-sqlite' ? 'sqlite' : 'cluster';
  const strike = name === undefined ? someOfEach : strikes[name];
  const backlog = drains(name) ? smallBacklog : undefined;
  return await disturbCrawls(strike, { ...sizes, store, backlog, smallDisks: name === 'disk-full' });
}

const drains = (name: RowName | undefined): boolean => name === undefined || name === 'store-kill';

/** Gap violations in crawls of a source without one of the rules: there must be some. */
async function runControls(): Promise<Record<string, number>> {
  const folder = workFolder('faults-control');
  const fake = await startFakeWeb({ size: 'S', seed: 3, longestFetchMs: faultTimeoutMs });
  const found: Record<string, number> = {};
  try {
    for (const rule of Object.keys(controls) as (keyof typeof controls)[]) {
      const under = join(folder.path, rule);
      const command = copyWith(controls[rule], join(under, 'source'));
      await fake.reset();
      const small = { store: 'server', coordinators: 1, workers: 2, few: true } as const;
      const system = await startNetworkSystem({ fake, under, command, ...small });
      try {
        found[rule] = await runControl(rule, system, faultGapMs);
      } finally {
        await system.stop();
      }
    }
    return found;
  } finally {
    await fake.stop();
    folder.remove();
  }
}

async function partitionCrawls({ count, seed }: Sizes): Promise<RowResult> {
  const folder = workFolder('faults-network');
  try {
    return await inOwnNetwork<RowResult>({
      program: resolve(import.meta.dirname, '../faults/partition-trial.ts'),
      args: { count, seed },
      folder: folder.path,
      setUp: divideSetUp(servers),
    });
  } finally {
    folder.remove();
  }
}

async function disturbCrawls(
  strike: Strike,
  {
    store,
    few,
    backlog,
    smallDisks,
    ...sizes
  }: Sizes & Pick<NetworkSystemOptions, 'store' | 'backlog' | 'smallDisks'>,
): Promise<RowResult> {
  const folder = workFolder('faults');
  const fake = await startFakeWeb({ size: 'S', seed: 3, longestFetchMs: faultTimeoutMs });
  try {
    return await runRow({
      fake,
      ...sizes,
      pauseMs: 1_000,
      strike,
      start: (crawl) => {
        const under = join(folder.path, String(crawl));
        mkdirSync(under, { recursive: true });
        const gap = few ? { gapMs: quickGapMs } : {};
        return startNetworkSystem({
          fake,
          store,
          backlog,
          workers,
          under,
          few,
          smallDisks,
          ...gap,
          proxies: true,
        });
      },
    });
  } finally {
    await fake.stop();
    folder.remove();
  }
}

function note(row: RowName, commit: string, result: RowResult): void {
  const { faults, crawls, expected: urls, lost, extra, duplicates, wrong } = result;
  const { disallowed, gapViolations, repeats, stallMs, ended, unfinished } = result;
  const harm = { lost, extra, duplicates, wrong, disallowed, gapViolations, ended, unfinished };
  const pace = 'throughput' in result ? { throughput: Number(result.throughput) } : {};
  addToLedger({ commit, row, faults, crawls, urls, ...harm, repeats, stallMs, ...pace });
}
