// watches: packages/coordinator/src/ledger, packages/coordinator/src/folder, packages/cli/src/crawl
// watches: packages/cli/src/crawling
// misses: crawls of one user that ask a host twice at once
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { folderRecords } from '../judge/folder-records.ts';
import { judgeRecords } from '../judge/judge-records.ts';
import { judgeRequests } from '../judge/judge-requests.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import {
  allHostsBut,
  argument,
  briskJob,
  type Crawler,
  startCrawler,
  until,
  workFolder,
  writeJob,
} from './lab.ts';

const crawls = 5;
/** Enough to contact a host too soon, where they do not know of each other. */
const controls = 2;
/** Two of the crawls are killed, each so often; one of these kills is between a claim and its grant. */
const victims = [3, 4];
const sizes = {
  quick: { kills: 1, killWithinMs: 800, gapMs: 25, deserters: 0, hosts: /^((www\.)?hub|alpha|bravo|delta)/ },
  /** A deserter is killed and never comes back. */
  full: { kills: 10, killWithinMs: 3_000, gapMs: 50, deserters: 1, hosts: /^/ },
} as const;
/** The n-th crawl leaves out the hosts of the n-th kind: every host but the first is shared by four, and that by all. */
const leftOut = [
  'alpha|(www\\.)?shop',
  'bravo|(www\\.)?museum',
  'delta|forum',
  'gamma|atlas',
  'kappa|guarded',
];
/** Only so that a crawl that hangs is reported as such. */
const finishWithinMs = 1_200_000;

type Size = (typeof sizes)['quick' | 'full'];

/**
 * Five crawls of overlapping hosts in five processes that share nothing but the host ledger of their user. Two of them are
 * killed at random and started again. By the web's own log no host is asked too soon or twice at once, and each crawl
 * has everything. One more is killed for good. Without the ledger the same judge finds gaps that are too short. `--kills N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const kills = Number(argument(args, '--kills') ?? size.kills);
  const work = workFolder('neighbours');
  const fake = await startFakeWeb({ size: 'S', seed: 2 });
  try {
    const shared = await runAll(fake, {
      size,
      crawls,
      kills,
      folder: join(work.path, 'shared'),
      stateOf: () => join(work.path, 'state'),
    });
    await fake.reset();
    const alone = await runAll(fake, {
      size,
      crawls: controls,
      kills: 0,
      folder: join(work.path, 'alone'),
      stateOf: (n) => join(work.path, `state-${n}`),
    });
    const { ended, killed, killedAtClaim, deserted, ...found } = shared;
    const zeros = ['lost', 'extra', 'duplicates', 'wrong', 'gapViolations', 'disallowed'] as const;
    const ok =
      zeros.every((name) => found[name] === 0) &&
      found.maxInFlightPerHost === 1 &&
      ended === crawls &&
      deserted === size.deserters &&
      alone.ended === controls;
    return {
      ok,
      tooEasy: killed < kills * victims.length || killedAtClaim === 0 || alone.gapViolations === 0,
      result: {
        ...found,
        finished: ended,
        killed,
        killedAtClaim,
        deserted,
        gapViolationsWithoutLedger: alone.gapViolations,
        maxInFlightWithoutLedger: alone.maxInFlightPerHost,
        sizes: { crawls, kills, gapMs: size.gapMs },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface Group {
  size: Size;
  crawls: number;
  kills: number;
  folder: string;
  /** The state folder of a crawl: where its host ledger is. */
  stateOf: (crawl: number) => string;
}

interface Plan {
  job: string;
  folder: string;
  state: string;
  expect: ExpectOptions;
}

async function runAll(fake: FakeWeb, group: Group) {
  const plans = await Promise.all(Array.from({ length: group.crawls }, (_, n) => planOf(fake, n, group)));
  const living = new Set<Crawler['child']>();
  const tally = { killed: 0, killedAtClaim: 0, deserted: 0 };
  try {
    const late = new Promise<never>((_, reject) => {
      setTimeout(reject, finishWithinMs, new Error(`not finished within ${finishWithinMs} ms`)).unref();
    });
    const deserters = group.kills > 0 ? group.size.deserters : 0;
    for (let n = 0; n < deserters; n++) {
      const plan = await planOf(fake, crawls + n, group);
      void desert(plan, living, group.size).then(() => tally.deserted++);
    }
    const ends = await Promise.race([
      late,
      Promise.all(
        plans.map((plan, n) =>
          live(plan, {
            living,
            tally,
            kills: victims.includes(n) ? group.kills : 0,
            atClaim: n === victims[0],
            killWithinMs: group.size.killWithinMs,
          }),
        ),
      ),
    ]);
    return {
      ...(await judgeAll(fake, plans, group.size)),
      ended: ends.filter((code) => code === 0).length,
      ...tally,
    };
  } finally {
    for (const child of living) child.kill('SIGKILL');
  }
}

async function planOf(fake: FakeWeb, n: number, { size, folder, stateOf }: Group): Promise<Plan> {
  const { job, expect } = briskJob(fake);
  const out = new RegExp(`^(${leftOut[n % crawls]})\\d`);
  const own = (host: { name: string }) => size.hosts.test(host.name) && !out.test(host.name);
  const exclude: NonNullable<JobInput['scope']>['exclude'] = [
    ...(job.scope?.exclude ?? []),
    { regex: `^https?://(${leftOut[n % crawls]})\\d` },
    ...allHostsBut(fake, size.hosts),
  ];
  const file = `${folder}-${n}.json`;
  await writeJob(file, {
    ...job,
    name: `neighbour-${n}`,
    scope: { ...job.scope, exclude },
    politeness: { ...job.politeness, gap: `${size.gapMs}ms` },
  });
  return {
    job: file,
    folder: `${folder}-${n}.crawl`,
    state: stateOf(n),
    expect: { ...expect, hosts: (host) => (expect.hosts?.(host) ?? true) && own(host) },
  };
}

interface Life {
  living: Set<Crawler['child']>;
  tally: { killed: number; killedAtClaim: number };
  kills: number;
  killWithinMs: number;
  /** The first death is between a claim and its grant. */
  atClaim: boolean;
}

/** Runs one crawl to its end, through all its deaths. Answers its last exit code. */
async function live(
  plan: Plan,
  { living, tally, kills, killWithinMs, atClaim }: Life,
): Promise<number | string> {
  for (let deaths = 0; ; deaths++) {
    const dying = atClaim && deaths === 0 && kills > 0;
    const crawler = dying
      ? claimCrawler(plan)
      : startCrawler(plan.job, plan.folder, { env: { WEBFARER_STATE: plan.state } });
    living.add(crawler.child);
    const ended = crawler.ended.then((code) => {
      living.delete(crawler.child);
      return { code };
    });
    if (!dying && deaths < kills) {
      await Promise.race([ended, strike(crawler, plan, killWithinMs)]);
    }
    const { code } = await ended;
    if (code !== 'SIGKILL') {
      if (code !== 0) console.error(crawler.output());
      return code;
    }
    tally.killed++;
    if (dying) tally.killedAtClaim++;
    await sleep(Math.random() * 300);
  }
}

/** Kills it at a random moment of its work. */
async function strike({ child }: Crawler, { folder }: Plan, withinMs: number): Promise<void> {
  await until(`${folder} to be at work`, () => existsSync(join(folder, 'crawl.db')), 60_000);
  await sleep(Math.random() * withinMs);
  child.kill('SIGKILL');
}

/** Its hosts must not be lost to the others. */
async function desert(plan: Plan, living: Life['living'], { killWithinMs }: Size): Promise<void> {
  const crawler = startCrawler(plan.job, plan.folder, { env: { WEBFARER_STATE: plan.state } });
  living.add(crawler.child);
  await strike(crawler, plan, killWithinMs);
  await crawler.ended;
  living.delete(crawler.child);
}

function claimCrawler({ job, folder, state }: Plan): Crawler {
  const claims = String(1 + Math.floor(Math.random() * 4));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'claim-crawler.ts'), job, folder, claims],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, WEBFARER_STATE: state },
    },
  );
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  return { child, ended, output: () => '' };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function judgeAll(fake: FakeWeb, plans: Plan[], { gapMs, hosts }: Size) {
  const { web } = fake;
  const { expect } = briskJob(fake);
  const all = {
    ...expect,
    hosts: (host: { name: string }) => hosts.test(host.name) && (expect.hosts?.(host as never) ?? true),
  };
  const { gapViolations, minGapMs, maxInFlightPerHost, disallowed, requests, requestExamples } =
    judgeRequests({
      web,
      expect: all,
      log: await fake.log(),
      gapMs,
      epsilonMs: 1,
    });
  const found = await Promise.all(
    plans.map(async (plan) =>
      judgeRecords({
        web,
        expect: plan.expect,
        records: (await folderRecords(plan.folder)).records,
        hostPages: web.hostBudget(),
      }),
    ),
  );
  const sum = (name: 'expected' | 'recorded' | 'lost' | 'extra' | 'duplicates' | 'wrong') =>
    found.reduce((total, one) => total + one[name], 0);
  return {
    expected: sum('expected'),
    recorded: sum('recorded'),
    lost: sum('lost'),
    extra: sum('extra'),
    duplicates: sum('duplicates'),
    wrong: sum('wrong'),
    gapViolations,
    minGapMs,
    maxInFlightPerHost,
    disallowed,
    requests,
    gapExamples: requestExamples.gaps.slice(0, 5),
  };
}
