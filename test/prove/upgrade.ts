// watches: packages/protocol/src/link, packages/coordinator/src/link, packages/coordinator/src/redis
// watches: packages/coordinator/src/sqlite, packages/coordinator/src/catalog, packages/coordinator/src/registry
// watches: packages/worker/src/link, packages/cli/src/network
// misses: a network that cannot change its version while it crawls
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addsUp } from '@webfarer/protocol/crawl';
import { treeOf } from '../../bench/cost/tree.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { type Network, startNetwork } from '../network/launcher.ts';
import type { NetworkProcess } from '../network/process.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type EndlessSites, startEndlessSites } from '../redis/endless-site.ts';
import { startRedis } from '../redis/servers.ts';
import { argument, commandPath, until, workFolder, writeJob } from './lab.ts';

// ci: rated, because it judges how long a crawl pauses.

/** The version before this one: the first of these commits that the clone has. */
const bases = ['ef495a36e471a1e98b5e47fd3eb150b0126623f0', '6eee941e5d853ab356b5d18c707dba0a1cc68c44'];
const hosts = 12;
const gapMs = 400;
/** How much shorter a gap may look at the other end of a connection. */
const gapSlackMs = 20;
const maxPauseMs = 5_000;
/** Between two processes that change their version. */
const requestsBetween = 20;
const progressMs = 120_000;
const endMs = 240_000;
const worlds = {
  server: { servers: {}, coordinators: 2, workers: 2 },
  sqlite: { servers: undefined, coordinators: 1, workers: 2 },
  cluster: { servers: { primaries: 3, replicasEach: 1 }, coordinators: 3, workers: 4 },
} as const;
type WorldName = keyof typeof worlds;

/** A version that cannot be mixed with any other. */
const otherLink: Change = {
  file: 'packages/protocol/src/link/frames.ts',
  from: 'export const linkVersion = 3;',
  to: 'export const linkVersion = 999;',
};

/**
 * A network changes its version in the middle of a crawl, one process after the other, and changes back. The web that
 * it crawls counts: each page must be asked for and recorded once, with its gap, and the web may not be left alone for
 * long. `--base COMMIT`, `--count N` of upgrades and of downgrades, `--store server|sqlite|cluster`. In the control the
 * two versions speak different links: then no page may be fetched.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? 1 : 5));
  const only = argument(args, '--store') as WorldName | undefined;
  const names: readonly WorldName[] = only ? [only] : quick ? ['server'] : ['server', 'sqlite', 'cluster'];
  const work = workFolder('upgrade');
  const base = await treeOf(argument(args, '--base') ?? knownBase(), work.path);
  const old = join(base.path, 'packages/cli/src/bin.ts');
  const total = emptyFindings();
  const pauses: Record<string, number> = {};
  let changed = 0;
  try {
    for (const name of names) {
      const rolled = await roll({ name, count, old, under: join(work.path, name) });
      for (const key of keysOf(total)) total[key] += rolled.findings[key];
      changed += rolled.changed;
      pauses[name] = rolled.longestPauseMs;
      console.error(`  ${name}: ${JSON.stringify(rolled)}`);
    }
    const fetchedInControl = await control(old, join(work.path, 'control'));
    const { pages, ...wrong } = total;
    return {
      ok: pages > 0 && changed > 0 && Object.values(wrong).every((n) => n === 0) && fetchedInControl === 0,
      tooSlow: Object.values(pauses).some((ms) => ms > maxPauseMs),
      result: {
        upgrades: count * names.length,
        downgrades: count * names.length,
        changed,
        ...total,
        pauses,
        fetchedInControl,
        sizes: { count, worlds: names, hosts, base: base.commit },
      },
    };
  } finally {
    await base.remove();
    work.remove();
  }
}

function knownBase(): string {
  const found = bases.find((commit) => {
    try {
      execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error('this clone lacks the version before this one; fetch the whole history');
  return found;
}

interface Findings {
  pages: number;
  /** Linked to, and never asked for or never recorded. */
  lost: number;
  /** Records of a page that has one already. */
  duplicates: number;
  /** Records of pages that were never asked for. */
  extra: number;
  /** Requests for a page that was asked for before: a process that stops in an orderly way causes none. */
  repeats: number;
  gapViolations: number;
  unbalanced: number;
}

const emptyFindings = (): Findings => ({
  pages: 0,
  lost: 0,
  duplicates: 0,
  extra: 0,
  repeats: 0,
  gapViolations: 0,
  unbalanced: 0,
});
const keysOf = (findings: Findings) => Object.keys(findings) as (keyof Findings)[];

interface World {
  name: WorldName;
  under: string;
  /** The program of a process, by its name. */
  command: (part: string) => string;
}

async function inWorld<T>(
  { name, under, command }: World,
  work: (network: Network, sites: EndlessSites) => Promise<T>,
): Promise<T> {
  mkdirSync(under, { recursive: true });
  const { servers: size, coordinators, workers } = worlds[name];
  const sites = await startEndlessSites(hosts);
  const servers = size && (await startRedis(size));
  let network: Network | undefined;
  try {
    const job = join(under, 'job.json');
    await writeJob(job, jobOf(sites));
    const store = servers ? { store: servers.url, coordinatorWords: ['--insecure-store'] } : {};
    network = await startNetwork({ job, under, coordinators, workers, untilDone: true, command, ...store });
    return await work(network, sites);
  } finally {
    await network?.end();
    await servers?.stop();
    sites.close();
  }
}

function jobOf({ seeds }: EndlessSites) {
  return {
    name: 'upgraded',
    contact: 'https://lab.test/crawler',
    seeds,
    scope: { stay: 'web' as const },
    limits: { pages: 1_000_000, depth: 'none' as const, perHost: { pages: 'none' as const } },
    politeness: { gap: `${gapMs}ms` },
    fetch: { timeout: '10s', allowPrivate: ['127.0.0.0/8'] },
  };
}

interface Roll {
  name: WorldName;
  count: number;
  /** The command of the version before. */
  old: string;
  under: string;
}

interface Rolled {
  findings: Findings;
  /** Processes that changed their version. */
  changed: number;
  /** Longest time without any request while versions changed. */
  longestPauseMs: number;
}

async function roll({ name, count, old, under }: Roll): Promise<Rolled> {
  const versions = new Map<string, string>();
  const command = (part: string) => versions.get(part) ?? old;
  return await inWorld({ name, under, command }, async (network, sites) => {
    let changed = 0;
    await progress(sites, requestsBetween);
    const fromMs = performance.now();
    for (let turn = 0; turn < 2 * count; turn++) {
      const { coordinators, workers } = network;
      // Workers first or coordinators first: both orders must do.
      const parts: NetworkProcess[] =
        turn % 4 < 2 ? [...coordinators, ...workers] : [...workers, ...coordinators];
      for (const part of parts) {
        versions.set(part.name, turn % 2 === 0 ? commandPath : old);
        await part.stop();
        await part.start();
        await progress(sites, requestsBetween).catch((error: unknown) => {
          const all = [...coordinators, ...workers].map(
            (one) => `${one.name}: ${one.output().slice(-1_500)}`,
          );
          throw new Error(
            `after ${part.name} changed (turn ${turn}): ${String(error)}\n${all.join('\n---\n')}`,
          );
        });
        changed++;
      }
    }
    const longestPauseMs = longestPause(sites, fromMs);
    sites.end();
    const how = Promise.all(network.coordinators.map((one) => one.ended()));
    await until('the end of the crawl', () => network.coordinators.every(({ running }) => !running), endMs);
    if ((await how).some((code) => code !== 0))
      throw new Error(network.coordinators.map((one) => one.output().slice(-3_000)).join('\n---\n'));
    return { findings: await judge(sites, join(under, 'coordinator-1')), changed, longestPauseMs };
  });
}

async function progress({ requests }: EndlessSites, wanted: number): Promise<void> {
  const from = requests.length;
  await until(`${wanted} requests`, () => requests.length >= from + wanted, progressMs);
}

function longestPause({ requests }: EndlessSites, fromMs: number): number {
  const times = [fromMs, ...requests.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs)];
  return Math.round(Math.max(0, ...times.slice(1).map((atMs, n) => atMs - (times[n] ?? atMs))));
}

async function judge(sites: EndlessSites, folder: string): Promise<Findings> {
  const asked = sites.requests.map(({ host, path }) => host + path);
  const pages = new Set(asked);
  const recorded = new Map<string, number>();
  const reader = await readFolder(folder);
  try {
    for await (const { url } of reader.results.records(reader.crawl)) {
      const page = url.replace(/^http:\/\/([^/:]+):\d+/, '$1');
      recorded.set(page, (recorded.get(page) ?? 0) + 1);
    }
    const balance = await reader.balance();
    return {
      pages: pages.size,
      lost: sites.missing().length + [...pages].filter((page) => !recorded.has(page)).length,
      duplicates: [...recorded.values()].reduce((sum, n) => sum + n - 1, 0),
      extra: [...recorded.keys()].filter((page) => !pages.has(page)).length,
      repeats: asked.length - pages.size,
      gapViolations: gapsBelow(sites),
      unbalanced: addsUp(balance) && balance.queued + balance.leased === 0 ? 0 : 1,
    };
  } finally {
    await reader.close();
  }
}

function gapsBelow({ requests }: EndlessSites): number {
  const last = new Map<string, number>();
  let below = 0;
  for (const { host, atMs } of requests) {
    if (atMs - (last.get(host) ?? -Infinity) < gapMs - gapSlackMs) below++;
    last.set(host, atMs);
  }
  return below;
}

/** Workers with another link at coordinators of the version before: pages that they fetched all the same. */
async function control(old: string, under: string): Promise<number> {
  const other = copyWith([otherLink], join(under, 'source'));
  const command = (part: string) => (part.startsWith('worker') ? other : old);
  return await inWorld({ name: 'sqlite', under, command }, async ({ workers }, sites) => {
    await until('a refusal', () => workers.every((one) => /version/i.test(one.output())), progressMs);
    return sites.requests.length;
  });
}
