import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listWarc } from '@webfarer/worker/archive';
import type { Host } from '../fake-web/hosts.ts';
import { originFor } from '../fake-web/pages.ts';
import { monotonicNs } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { Web } from '../fake-web/web.ts';
import { judgeRequests } from '../judge/judge-requests.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import type { ProofResult } from '../prove.ts';
import type { RedisServers } from '../redis/servers.ts';
import { labExpects, labJob, until, writeJob } from './lab.ts';

/** Each part of the proof has a store of its own, so that none finds what another left. */
export interface Stage {
  fake: FakeWeb;
  redis: RedisServers;
  under: string;
}

const HOSTS = 50;
const GAP_MS = 1_000;
const WITHIN_MS = 5_000;

/** Hosts that answer plainly and let everything be fetched. */
export function plainHosts(web: Web): Host[] {
  return Array.from({ length: web.hosts }, (_, index) => web.host(index)).filter(
    (host) =>
      host.class === 'serve' &&
      (host.robots === 'absent' || host.robots === 'empty') &&
      host.sitemap === 'none' &&
      !host.retryAfter &&
      !host.broken &&
      !host.hub,
  );
}

/** A crawl of these hosts, each by itself. */
export function jobOfHosts(fake: FakeWeb, hosts: readonly Host[], gapMs: number) {
  return labJob(fake, {
    seeds: hosts.map((host) => `${originFor(fake.web, host, 'http')}/`),
    scope: { stay: 'host' },
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
  });
}

/** One worker holds fifty slow hosts; a second joins at another coordinator, and nothing is due. */
export async function proveWater({ fake, redis, under }: Stage, hostsWanted: number): Promise<ProofResult> {
  const job = join(under, 'job.json');
  const hosts = plainHosts(fake.web).slice(0, HOSTS);
  await writeJob(job, jobOfHosts(fake, hosts, GAP_MS));
  const network = await startNetwork({
    job,
    under,
    coordinators: 2,
    workers: 0,
    connections: 64,
    store: redis.url,
  });
  try {
    const [one, two] = network.coordinators as [CoordinatorProcess, CoordinatorProcess];
    await network.addWorker({ urls: [one.url()] });
    await until('one worker to hold all hosts', async () => (await heldAt(one)) >= HOSTS, 60_000);
    await network.addWorker({ urls: [two.url()] });
    await until('the second to be linked', async () => (await two.status()).workers.length === 1, 30_000);
    const fromNs = monotonicNs();
    await new Promise((resolve) => setTimeout(resolve, WITHIN_MS));
    const log = await fake.log();
    await stopWorkers(network);
    const taken = await urlsSavedBy(network.workers[1]?.folder ?? '');
    const urlOf = (host: string, path: string) => `http://${host}:${fake.httpPort}${path}`;
    const inTime = log.filter(({ startNs }) => startNs >= fromNs && startNs < fromNs + WITHIN_MS * 1e6);
    const hostsTaken = new Set(
      inTime.filter(({ host, path }) => taken.has(urlOf(host, path))).map(({ host }) => host),
    ).size;
    const expect = { ...labExpects, hosts: ({ name }: Host) => hosts.some((host) => host.name === name) };
    const judged = { web: fake.web, expect, log: await fake.log(), gapMs: GAP_MS, epsilonMs: 1 };
    const { gapViolations, repeats } = judgeRequests(judged);
    return {
      ok: gapViolations === 0 && repeats === 0,
      tooSlow: hostsTaken < hostsWanted,
      result: { hostsTaken, hostsHeld: HOSTS, waterSeconds: WITHIN_MS / 1_000, gapViolations, repeats },
    };
  } finally {
    await network.end();
  }
}

async function heldAt(coordinator: CoordinatorProcess): Promise<number> {
  return (await coordinator.status()).workers.reduce((sum, { held }) => sum + held, 0);
}

async function stopWorkers(network: Network): Promise<void> {
  await Promise.all(network.workers.map((worker) => worker.stop()));
}

async function urlsSavedBy(folder: string): Promise<Set<string>> {
  const urls = new Set<string>();
  for (const crawl of (await readdir(folder)).filter((name) => name.endsWith('.crawl'))) {
    const archive = join(folder, crawl, 'archive');
    for (const file of (await readdir(archive)).filter((name) => name.includes('.warc.gz')))
      for await (const { url } of listWarc(join(archive, file))) if (url !== undefined) urls.add(url);
  }
  return urls;
}
