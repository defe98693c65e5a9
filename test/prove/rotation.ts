// watches: packages/coordinator/src/redis/wire, packages/coordinator/src/redis/address, packages/coordinator/src/tokens
// watches: packages/coordinator/src/api/http, packages/coordinator/src/store, packages/cli/src/secrets
// watches: packages/cli/src/network, packages/cli/src/doctor, packages/worker/src/link
// misses: a password, token or certificate that is read once, and a coordinator that calls itself ready without its store
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type EndlessSites, startEndlessSites } from '../redis/endless-site.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Rotation, rotateAtOnce, rotateGently } from '../rotation/rotate.ts';
import { makeSecrets, type Secrets } from '../rotation/secrets.ts';
import { type SecuredNetwork, startSecuredNetwork } from '../rotation/secured-network.ts';
import { argument, until, workFolder, writeJob } from './lab.ts';

const hosts = 16;
const workers = 2;
const crawlMs = 180_000;
/** Requests before a rotation, between two, and behind the last one. */
const pagesBetween = 60;

/**
 * Two coordinators on a cluster with a password speak https with workers that have their token in a file. While they crawl,
 * password, token and certificate are replaced together, in two ways. At once: what was before is refused, every connection
 * is cut, and the files follow later; meanwhile `/ready`, the API, `doctor` and the workers must each say what is wrong. Gently:
 * the new ones are accepted beside the old ones first; then nobody may be refused and `/ready` never fails. No process may end,
 * and in the end the web's own log and the records name the same pages, each of them once. `--count N`: so many times each.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? 1 : 5));
  const work = workFolder('rotation');
  const sites = await startEndlessSites(hosts);
  let servers: RedisServers | undefined;
  let network: SecuredNetwork | undefined;
  try {
    servers = await startRedis({ primaries: 3, parent: work.path });
    const secrets = await makeSecrets(work.path, servers);
    const job = join(work.path, 'job.json');
    await writeJob(job, jobOf(sites));
    network = await startSecuredNetwork({ under: work.path, job, secrets, store: servers.url, workers });
    const world = { sites, network, secrets, store: servers.url, under: work.path };
    const rotated = await rotateWhileRunning(world, count);
    const judged = rotated.wrong.length > 0 ? undefined : await judge(world);
    const wrong = [...rotated.wrong, ...(judged?.wrong ?? [])];
    if (wrong.length > 0) console.error(everything(network));
    const { lost = 0, duplicates = 0, addsUp = false } = judged ?? {};
    return {
      ok: wrong.length === 0 && lost + duplicates === 0 && addsUp,
      tooEasy: wrong.length === 0 && (rotated.connectionsKilled === 0 || rotated.linksCut === 0),
      result: {
        ...rotated,
        ...judged,
        wrong,
        sizes: { rotations: count * 2, hosts, coordinators: 2, workers, servers: 3 },
      },
    };
  } finally {
    await network?.stop();
    await servers?.stop();
    sites.close();
    work.remove();
  }
}

function jobOf({ seeds }: EndlessSites) {
  return {
    name: 'rotated',
    contact: 'https://lab.test/crawler',
    seeds,
    scope: { stay: 'web' as const },
    limits: { pages: 'none' as const, depth: 'none' as const, perHost: { pages: 'none' as const } },
    politeness: { gap: '200ms', slowFactor: 0 },
    fetch: { timeout: '2s', allowPrivate: ['127.0.0.0/8'] },
    save: ['none' as const],
  };
}

interface World {
  sites: EndlessSites;
  network: SecuredNetwork;
  secrets: Secrets;
  store: string;
  under: string;
}

/** Stops at the first finding: what comes after it says nothing. */
async function rotateWhileRunning(world: World, count: number): Promise<Rotation> {
  const total: Rotation = { wrong: [], connectionsKilled: 0, linksCut: 0 };
  const ways = [rotateAtOnce, rotateGently];
  for (let n = 0; n < count * ways.length && total.wrong.length === 0; n++) {
    const rotate = ways[n % ways.length] as (typeof ways)[number];
    await goesOn(world);
    const startedAtMs = performance.now();
    const { wrong, connectionsKilled, linksCut } = await rotate(world);
    total.wrong.push(...wrong);
    total.connectionsKilled += connectionsKilled;
    total.linksCut += linksCut;
    const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
    console.error(`  ${rotate.name}: ${seconds} s, ${world.sites.requests.length} pages so far`);
  }
  if (total.wrong.length === 0) await goesOn(world);
  return total;
}

async function goesOn({ sites }: World): Promise<void> {
  const from = sites.requests.length;
  await until('the crawl to continue', () => sites.requests.length >= from + pagesBetween, crawlMs);
}

interface Judged {
  pages: number;
  /** Pages that some page linked to and that were never asked for, or have no record. */
  lost: number;
  /** Records beyond one for each page. */
  duplicates: number;
  /** Requests beyond one for each page: those whose leases ended while the store was out of reach. */
  repeats: number;
  addsUp: boolean;
  wrong: string[];
}

async function judge({ sites, network }: World): Promise<Judged> {
  sites.end();
  const wrong = await endsOf(network);
  const asked = new Set(sites.requests.map(({ host, path }) => host + path));
  const recorded = new Set<string>();
  let records = 0;
  const [first] = network.coordinators;
  if (first && wrong.length === 0) {
    const reader = await readFolder(first.process.folder);
    try {
      for await (const { url } of reader.results.records(reader.crawl)) {
        records++;
        recorded.add(url.replace(/^http:\/\/([\d.]+):\d+/, '$1'));
      }
    } finally {
      await reader.close();
    }
  }
  return {
    pages: asked.size,
    lost: sites.missing().length + [...asked].filter((page) => !recorded.has(page)).length,
    duplicates: records - recorded.size,
    repeats: sites.requests.length - asked.size,
    addsUp: network.coordinators.some(({ process }) => process.output().includes('adds up')),
    wrong,
  };
}

/** Coordinators end with the crawl, workers when they are told to; nobody before. */
async function endsOf(network: SecuredNetwork): Promise<string[]> {
  const wrong: string[] = [];
  const late = sleep(crawlMs, 'nothing', { ref: false });
  for (const { process } of network.coordinators) {
    const how = await Promise.race([process.ended(), late]);
    if (how !== 0) wrong.push(`${process.name} ended with ${how}`);
  }
  for (const worker of network.workers) {
    const how = worker.running ? await worker.stop() : `${await worker.ended()} by itself`;
    if (how !== 0) wrong.push(`${worker.name} ended with ${how}`);
  }
  return wrong;
}

function everything({ coordinators, workers: all }: SecuredNetwork): string {
  return [...coordinators.map(({ process }) => process), ...all]
    .map((one) => `--- ${one.name}\n${one.output().slice(-2_000)}`)
    .join('\n');
}
