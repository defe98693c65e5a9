import { join } from 'node:path';
import type { Host } from '../fake-web/hosts.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { startNetwork } from '../network/launcher.ts';
import type { ProofResult } from '../prove.ts';
import { jobOfHosts, plainHosts, type Stage } from './dry-and-water.ts';
import { labGapMs, until, writeJob } from './lab.ts';

/** Few hands for many hosts, so that most of them wait at any moment. */
const WORKERS = 2;
const CONNECTIONS = 16;
/** URLs taken with one lease of a host with a gap. */
const URLS_PER_LEASE = 10;
/** A longer pause than the gap and this was not within a lease. */
const TURN_MS = 150;
const CRAWL_MS = 600_000;

/** What is crawled, so that hosts have from 3 to some hundreds of URLs: by the last digit of a host's block. */
const included = [
  '^http://[^/]*[4-9]\\.test(:\\d+)?/(index/0)?$',
  '^http://[^/]*[1-3]\\.test(:\\d+)?/(index/0|s0/.*)?$',
  '^http://[^/]*[^1-9]\\.test(:\\d+)?/',
];

/**
 * Hosts of very unequal size, all known from the start: everybody has its turn. Stopped while the large ones have much
 * left, so that whoever was forgotten shows.
 */
export async function proveBreadth(
  { fake, redis, under }: Stage,
  { hosts: count, requests, command }: { hosts: number; requests: number; command?: string },
): Promise<ProofResult> {
  const job = join(under, 'job.json');
  const hosts = plainHosts(fake.web).slice(0, count);
  const whole = jobOfHosts(fake, hosts, labGapMs);
  const include = included.map((regex) => ({ regex }));
  await writeJob(job, { ...whole, scope: { stay: 'host', include } });
  const network = await startNetwork({
    job,
    under,
    coordinators: 2,
    workers: WORKERS,
    connections: CONNECTIONS,
    store: redis.url,
    ...(command === undefined ? {} : { command }),
  });
  try {
    await until('enough requests', async () => (await fake.stats()).requests >= requests, CRAWL_MS);
    const log = await fake.log();
    return judgeBreadth(log, expectedOf(fake, hosts));
  } finally {
    await network.end();
  }
}

/** Whoever is due latest is served first. */
const unfair: Change = {
  file: 'packages/coordinator/src/redis/hints.ts',
  from: '.sort(([a, first], [b, second]) => (first < second ? -1 : first > second ? 1 : a - b))',
  to: '.sort(([a, first], [b, second]) => (first < second ? 1 : first > second ? -1 : a - b))',
};

/** The same with the order turned round: then some must wait for too long, or nobody would notice. */
export async function controlBreadth(
  stage: Stage,
  size: { hosts: number; requests: number },
): Promise<ProofResult> {
  const command = copyWith([unfair], join(stage.under, 'source'));
  const { result } = await proveBreadth(stage, { ...size, command });
  const lateWithoutOrder = Number(result['late']) + Number(result['starved']);
  return { ok: true, tooEasy: lateWithoutOrder === 0, result: { lateWithoutOrder } };
}

/** The paths that a whole crawl fetches from each host. */
function expectedOf({ web }: FakeWeb, hosts: readonly Host[]): Map<string, Set<string>> {
  const paths = new Map(hosts.map(({ name }) => [name, new Set<string>()]));
  const inside = included.map((regex) => new RegExp(regex));
  for (const { url, verdict } of web.expected({ hosts: ({ name }) => paths.has(name) })) {
    const [, name = '', path = ''] = /^http:\/\/([^/:]+)[^/]*(\/.*)$/.exec(url) ?? [];
    if (verdict === 'done' && inside.some((regex) => regex.test(url))) paths.get(name)?.add(path);
  }
  return paths;
}

interface Wait {
  fromMs: number;
  toMs: number;
}

function judgeBreadth(log: readonly LogEntry[], expected: Map<string, Set<string>>): ProofResult {
  const sorted = log.toSorted((a, b) => a.startNs - b.startNs);
  const beganMs = (sorted[0]?.startNs ?? 0) / 1e6;
  const endedMs = (sorted.at(-1)?.startNs ?? 0) / 1e6;
  const waits: Wait[] = [];
  const turns: number[] = [];
  let starved = 0;
  for (const [name, paths] of expected) {
    const own = sorted.filter(({ host }) => host === name);
    if (own.length === 0) starved++;
    turns.push(...waitsOf(own, { beganMs, waits }));
    // What it waits for at the end has not come yet.
    const last = own.at(-1);
    const asked = new Set(own.map(({ path }) => path));
    const dueMs = last ? last.endNs / 1e6 + labGapMs : beganMs;
    const isWaiting = last?.endNs !== 0 && dueMs < endedMs;
    if (isWaiting && [...paths].some((path) => !asked.has(path)))
      waits.push({ fromMs: dueMs, toMs: endedMs });
  }
  const dueHosts = mostAtOnce(waits);
  const bounded = waits.map((wait) => ({
    ms: wait.toMs - wait.fromMs,
    boundMs: boundOf(wait, turns, dueHosts),
  }));
  const worst = bounded.reduce((one, other) => (other.ms > one.ms ? other : one), { ms: 0, boundMs: 0 });
  const sizes = [...expected.values()].map(({ size }) => size);
  return {
    ok: starved === 0,
    tooSlow: bounded.some(({ ms, boundMs }) => ms > boundMs),
    result: {
      worstWait: Math.round(worst.ms) / 1_000,
      bound: Math.round(worst.boundMs) / 1_000,
      // By the rate over the whole run, for comparison.
      boundOverall: Math.round((2 * dueHosts * (endedMs - beganMs)) / turns.length + 1_000) / 1_000,
      late: bounded.filter(({ ms, boundMs }) => ms > boundMs).length,
      starved,
      dueHosts,
      grantRate: Math.round((10_000 * turns.length) / (endedMs - beganMs)) / 10,
      hosts: expected.size,
      hostPages: [Math.min(...sizes), Math.max(...sizes)],
      breadthRequests: log.length,
    },
  };
}

/** 2 x dueHosts / grantRate + 1 s, by the rate at which others had their turns while it waited. */
function boundOf({ fromMs, toMs }: Wait, turns: readonly number[], dueHosts: number): number {
  const granted = turns.filter((atMs) => atMs >= fromMs && atMs <= toMs).length;
  return (2 * dueHosts * (toMs - fromMs)) / Math.max(1, granted) + 1_000;
}

/** Notes how long a host that was due waited before each request; answers when its turns began. */
function waitsOf(own: readonly LogEntry[], { beganMs, waits }: { beganMs: number; waits: Wait[] }): number[] {
  const turns: number[] = [];
  let inTurn = 0;
  let dueMs = beganMs;
  for (const { startNs, endNs, path } of own) {
    const startMs = startNs / 1e6;
    if (startMs > dueMs) waits.push({ fromMs: dueMs, toMs: startMs });
    if (turns.length === 0 || startMs - dueMs > TURN_MS || inTurn >= URLS_PER_LEASE) {
      turns.push(startMs);
      inTurn = 0;
    }
    if (path !== '/robots.txt') inTurn++;
    dueMs = endNs / 1e6 + labGapMs;
  }
  return turns;
}

function mostAtOnce(waits: readonly Wait[]): number {
  const steps = waits.flatMap(({ fromMs, toMs }) => [
    { atMs: fromMs, by: 1 },
    { atMs: toMs, by: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { by } of steps.sort((a, b) => a.atMs - b.atMs || a.by - b.by))
    most = Math.max(most, (now += by));
  return most;
}
