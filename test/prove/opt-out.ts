// watches: packages/coordinator/src/host-rules, packages/coordinator/src/owners, packages/coordinator/src/link
// watches: packages/coordinator/src/crawl, packages/worker/src/session, packages/worker/src/link
// misses: requests to a host after its owner opted out
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { addsUp } from '@webfarer/protocol/crawl';
import type { Host } from '../fake-web/hosts.ts';
import { leafPath, originFor } from '../fake-web/pages.ts';
import { type LogEntry, monotonicNs } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { folderRecords } from '../judge/folder-records.ts';
import { judgeRecords } from '../judge/judge-records.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { plainHosts } from './dry-and-water.ts';
import { argument, labExpects, labJob, until, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: { coordinators: 2, workers: 3, hosts: 6, primaries: 1 },
  full: { coordinators: 3, workers: 20, hosts: 24, primaries: 3 },
} as const;

/** A rule holds everywhere by then. */
const inForceMs = 5_000;
const gapMs = 50;
/** On the hosts that are forbidden later: ten URLs of one lease take 15 s, so a worker must be told to stop. */
const slowMs = 1_500;
/** On the host that gets a longer delay later, before it and from then on. */
const paceMs = { before: 250, after: 800 };
const finishWithinMs = 600_000;

/**
 * A network of real processes, and rules that come while it crawls, each at another coordinator: a site owner's opt-out, a
 * block, a longer delay. One owner had opted out before, and the robots.txt of another site leads to that one. By the
 * web's own log nothing is requested from a forbidden host once the rule is in force, and the delay is kept. Then the
 * block is lifted and what it refused is retried: everything but what was opted out is as it must be, and all is
 * counted. The control has workers that are not told: they go on. `--workers N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const size = { ...usual, workers: Number(argument(args, '--workers') ?? usual.workers) };
  const work = workFolder('opt-out');
  try {
    const [told, untold] = await Promise.all([
      runNetwork(join(work.path, 'told'), size),
      runControl(join(work.path, 'untold')),
    ]);
    const zeros = [
      'lateRequests',
      'earlyRequests',
      'gapViolations',
      'lost',
      'extra',
      'wrong',
      'duplicates',
      'unexplained',
    ] as const;
    const ok = zeros.every((name) => told[name] === 0) && told.addsUp && told.retried === told.blocked;
    return {
      ok,
      tooEasy: told.gapsJudged <= 2 || told.optedOut === 0 || told.blocked === 0 || untold.lateRequests === 0,
      result: { ...told, lateRequestsUntold: untold.lateRequests, sizes: { ...size, inForceMs } },
    };
  } finally {
    work.remove();
  }
}

interface Cast {
  /** Its owner opts out while it is crawled. */
  leaving: Host;
  blocked: Host;
  /** Gets a longer delay. */
  slowed: Host;
  others: Host[];
  /** Opted out before the crawl began. */
  early: Host;
  /** Its robots.txt is that of `early`. */
  twin: Host;
}

function castOf({ web }: FakeWeb, count: number): Cast {
  const named = (name: string) => web.hostNamed(name) as Host;
  // Those with the most pages have something left when the rules come.
  const plain = plainHosts(web).toSorted((a, b) => b.leaves - a.leaves);
  const [leaving, blocked, slowed, ...others] = plain as [Host, Host, Host, ...Host[]];
  return {
    leaving,
    blocked,
    slowed,
    others: others.slice(0, count),
    early: named('www.shop0.test'),
    twin: named('shop0.test'),
  };
}

function jobOf(fake: FakeWeb, { leaving, blocked, slowed, others, early, twin }: Cast) {
  return labJob(fake, {
    seeds: [leaving, blocked, slowed, ...others, early, twin].map(
      (host) => `${originFor(fake.web, host, 'http')}/`,
    ),
    scope: { stay: 'host' },
    politeness: {
      gap: `${gapMs}ms`,
      slowFactor: 0,
      hosts: [
        { match: leaving.name, gap: `${slowMs}ms` },
        { match: slowed.name, gap: `${paceMs.before}ms` },
      ],
    },
  });
}

async function runNetwork(under: string, size: Size) {
  mkdirSync(under, { recursive: true });
  const startedMs = performance.now();
  const tell = (what: string) =>
    console.error(`  ${((performance.now() - startedMs) / 1_000).toFixed(1)} s: ${what}`);
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  const redis = await startRedis({ primaries: size.primaries });
  let network: Network | undefined;
  try {
    const cast = castOf(fake, size.hosts);
    const job = join(under, 'job.json');
    await writeJob(job, jobOf(fake, cast));
    const started = await startNetwork({
      job,
      under,
      coordinators: size.coordinators,
      workers: 0,
      // The first worker takes all hosts, so that none of them is through before another has begun.
      connections: 32,
      store: redis.url,
    });
    network = started;
    const { coordinators, workers } = started;
    const at = (n: number) => coordinators[n % coordinators.length] as CoordinatorProcess;
    const optOut = { reason: 'please do not crawl us', contact: 'owner@lab.test', date: '2026-11-16' };
    await ask(at(0), 'PUT', `opt-outs/${cast.early.name}`, optOut);
    await ask(at(0), 'PUT', `host-rules/${cast.blocked.name}`, { gapMs: slowMs });
    // The others have heard of both by the time the first worker asks for work.
    await until('the rules to hold everywhere', () => holdEverywhere(coordinators, cast), 30_000);
    await Promise.all(Array.from({ length: size.workers }, () => started.addWorker()));

    await until('all to be crawled', () => areCrawled(fake, cast), 120_000);
    tell('all are crawled');
    await Promise.all([
      ask(at(0), 'PUT', `opt-outs/${cast.leaving.name}`, optOut),
      ask(at(1), 'PUT', `host-rules/${cast.blocked.name}`, { block: true, note: 'too many errors' }),
      ask(at(2), 'PUT', `host-rules/${cast.slowed.name}`, { gapMs: paceMs.after }),
    ]);
    const setNs = monotonicNs();
    tell('the rules are set');
    const inForceNs = setNs + inForceMs * 1e6;
    const after = (log: readonly LogEntry[], { name }: Host) =>
      log.filter(({ host, startNs }) => host === name && startNs > inForceNs);
    await until(
      'some requests at the new pace',
      async () => after(await fake.log(), cast.slowed).length >= 5,
      120_000,
    );
    const whileRuled = await fake.log();
    tell('the new pace was kept for a while');
    const blocked = await refusedCount(at(0), 'blocked');

    await ask(at(1), 'DELETE', `host-rules/${cast.blocked.name}`);
    await ask(at(2), 'DELETE', `host-rules/${cast.slowed.name}`);
    const { queued: retried } = (await ask(at(1), 'POST', 'crawls/lab/retry', { reason: 'blocked' })) as {
      queued: number;
    };
    await until('the crawl to end', async () => isOver(at(0)), finishWithinMs);
    tell('the crawl is over');
    const log = await fake.log();
    const folder = at(0).folder;
    await Promise.all([...workers, ...coordinators].map((one) => one.stop()));
    const records = await folderRecords(folder);
    return {
      ...judgePace(whileRuled, cast.slowed, inForceNs),
      lateRequests: after(whileRuled, cast.leaving).length + after(whileRuled, cast.blocked).length,
      /** Until the last request that a forbidden host had to see, from the moment the rule was accepted. */
      stoppedAfterMs: Math.max(
        ...[cast.leaving, cast.blocked].map(({ name }) => lastAfterMs(whileRuled, name, setNs)),
      ),
      earlyRequests: log.filter(({ host }) => host === cast.early.name).length,
      blocked,
      retried,
      ...(await judgeOthers(fake, cast, records.records)),
      ...judgeOptedOut(cast, records.records, log),
      addsUp: addsUp(records.balance),
      refused: records.byReason,
      requests: log.length,
    };
  } finally {
    await network?.end();
    await redis.stop();
    await fake.stop();
  }
}

interface Size {
  coordinators: number;
  workers: number;
  hosts: number;
  primaries: number;
}

/** Nobody is told that other rules hold. */
const deaf: Change = {
  file: 'packages/coordinator/src/link/worker-pool.ts',
  from: '      for (let from = 0; from < patterns.length; from += frameBounds.patterns) {',
  to: '      for (let from = patterns.length; from < patterns.length; from += frameBounds.patterns) {',
};

/**
 * The same opt-out on one coordinator whose worker is not told. The first lease has ten URLs of the host: it lasts three
 * times as long as a rule takes to be in force.
 */
async function runControl(under: string): Promise<{ lateRequests: number }> {
  mkdirSync(under, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  let network: Network | undefined;
  try {
    const cast = castOf(fake, 0);
    const origin = originFor(fake.web, cast.leaving, 'http');
    const seeds = Array.from({ length: 12 }, (_, n) => `${origin}${leafPath(fake.web, cast.leaving, n)}`);
    const job = join(under, 'job.json');
    await writeJob(job, { ...jobOf(fake, cast), seeds });
    const command = copyWith([deaf], join(under, 'source'));
    network = await startNetwork({ job, under, coordinators: 1, workers: 1, command });
    const one = network.coordinators[0] as CoordinatorProcess;
    await until('it to be crawled', async () => requestsTo(await fake.log(), cast.leaving) >= 2, 120_000);
    const optOut = { reason: 'no', contact: 'owner@lab.test', date: '2026-11-16' };
    await ask(one, 'PUT', `opt-outs/${cast.leaving.name}`, optOut);
    const inForceNs = monotonicNs() + inForceMs * 1e6;
    const late = async () =>
      (await fake.log()).filter(({ host, startNs }) => host === cast.leaving.name && startNs > inForceNs)
        .length;
    const enoughNs = inForceNs + 60e9;
    await until('late requests', async () => (await late()) > 0 || monotonicNs() > enoughNs, 90_000);
    return { lateRequests: await late() };
  } finally {
    await network?.end();
    await fake.stop();
  }
}

async function ask(
  coordinator: CoordinatorProcess,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const token = (await readFile(join(coordinator.folder, 'operator.token'), 'utf8')).trim();
  const answer = await fetch(`${coordinator.url()}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function holdEverywhere(coordinators: readonly CoordinatorProcess[], cast: Cast): Promise<boolean> {
  const seen = await Promise.all(
    coordinators.flatMap((one) => [
      ask(one, 'GET', `hosts/${cast.early.name}`) as Promise<{ refused?: string }>,
      ask(one, 'GET', `hosts/${cast.blocked.name}`) as Promise<{ gapMs?: number }>,
    ]),
  );
  return seen.every((host) => 'refused' in host || 'gapMs' in host);
}

const requestsTo = (log: readonly LogEntry[], { name }: Host) =>
  log.filter(({ host }) => host === name).length;

async function areCrawled(fake: FakeWeb, { leaving, blocked, slowed }: Cast): Promise<boolean> {
  const log = await fake.log();
  return [leaving, blocked, slowed].every((host) => requestsTo(log, host) >= 3);
}

async function refusedCount(coordinator: CoordinatorProcess, reason: string): Promise<number> {
  const [crawl] = (await coordinator.status()).crawls;
  return (crawl?.byReason as Record<string, number> | undefined)?.[reason] ?? 0;
}

async function isOver(coordinator: CoordinatorProcess): Promise<boolean> {
  const [crawl] = (await coordinator.status()).crawls;
  return crawl?.state === 'finished';
}

function lastAfterMs(log: readonly LogEntry[], name: string, fromNs: number): number {
  const last = log
    .filter(({ host }) => host === name)
    .reduce((most, { startNs }) => Math.max(most, startNs), 0);
  return Math.max(0, Math.round((last - fromNs) / 1e6));
}

/** Pauses on the host that ended when the new delay was in force. */
function judgePace(log: readonly LogEntry[], { name }: Host, inForceNs: number) {
  const own = log.filter(({ host }) => host === name).toSorted((a, b) => a.startNs - b.startNs);
  const gaps = own
    .slice(1)
    .map((entry, n) => ({ startNs: entry.startNs, ms: (entry.startNs - (own[n] as LogEntry).endNs) / 1e6 }))
    .filter(({ startNs }) => startNs > inForceNs);
  return {
    gapsJudged: gaps.length,
    gapViolations: gaps.filter(({ ms }) => ms < paceMs.after - 1).length,
    minGapMs: Math.round(Math.min(...gaps.map(({ ms }) => ms))),
  };
}

/** Of hosts that nobody opted out all is there, and right. */
async function judgeOthers(fake: FakeWeb, cast: Cast, records: readonly PageRecord[]) {
  const names = new Set([cast.blocked, cast.slowed, ...cast.others].map(({ name }) => name));
  const { expected, recorded, lost, extra, wrong, duplicates } = await judgeRecords({
    web: fake.web,
    expect: { ...labExpects, hosts: ({ name }) => names.has(name) },
    records: records.filter(({ url }) => names.has(new URL(url).hostname)),
    hostPages: fake.web.hostBudget(),
  });
  return { expected, recorded, lost, extra, wrong, duplicates };
}

/** Of the others each URL was either fetched in time, or refused with the reason and not fetched. */
function judgeOptedOut(cast: Cast, records: readonly PageRecord[], log: readonly LogEntry[]) {
  const asked = new Set(log.map(({ host, path }) => `${host}${path}`));
  const names = new Set([cast.leaving, cast.early, cast.twin].map(({ name }) => name));
  let optedOut = 0;
  const unexplained: string[] = [];
  for (const { url, reason } of records) {
    const { hostname, pathname, search } = new URL(url);
    if (!names.has(hostname)) continue;
    const wasAsked = asked.has(`${hostname}${pathname}${search}`);
    if (reason === 'opt-out') optedOut++;
    const isRight =
      hostname === cast.twin.name
        ? reason === 'robots-unreachable' && !wasAsked
        : wasAsked === (reason !== 'opt-out') && (hostname !== cast.early.name || reason === 'opt-out');
    if (!isRight) unexplained.push(`${url} ${reason}${wasAsked ? ', asked for' : ''}`);
  }
  for (const line of unexplained.slice(0, 10)) console.error(`  unexplained: ${line}`);
  return { optedOut, unexplained: unexplained.length };
}
