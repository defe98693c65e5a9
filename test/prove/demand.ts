// watches: packages/coordinator/src/members, packages/coordinator/src/network, packages/coordinator/src/own-crawls
// watches: packages/coordinator/src/link, packages/worker/src/link
// misses: crawls with work that stay without a worker
// ci: rated, because it judges how long crawls wait.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { oldShares } from '../demand/old-shares.ts';
import { longestSilence, startTicks, type Work, worthMs } from '../demand/silences.ts';
import type { Host } from '../fake-web/hosts.ts';
import { monotonicNs } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { copyWith } from '../faults/changed-source.ts';
import { type Network, startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { jobOfHosts, plainHosts } from './dry-and-water.ts';
import { argument, until, workFolder, writeJob } from './lab.ts';

interface Shape {
  crawls: number;
  workers: number;
}

const shapes = {
  quick: [{ crawls: 3, workers: 2 }],
  full: [2, 5].flatMap((crawls) => [2, 3, 5, 8].map((workers) => ({ crawls, workers }))),
} as const;
const HOSTS_EACH = 4;
const GAP_MS = 150;
const CONNECTIONS = 8;
/** Nobody with work may be without a worker for longer. */
const MOST_MS = 5_000;
/** Pages until a crawl is limited, and how many more when it is raised; each crawl has more than the one before. */
const FIRST_PAGES = 20;
const MORE_PAGES = 30;
const CRAWL_MS = 180_000;
/** The control shows a crawl without a worker for this long. */
const CONTROL_MS = 7_000;

/**
 * Several crawls on one store, each with a coordinator of its own, and workers that all know only the first one. Crawls
 * reach their limit one after the other; each is then started again with a raised limit, while others run. By the web's
 * own log no crawl with work is ever without requests for 5 s of time that the machine had for it. `--crawls 5 --workers 2` runs one shape. The control
 * runs the same with the shares of old, which know nothing of demand: there a crawl starves.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const [crawls, workers] = [argument(args, '--crawls'), argument(args, '--workers')];
  const one = { crawls: Number(crawls ?? 2), workers: Number(workers ?? 2) };
  const chosen: readonly Shape[] = (crawls ?? workers) ? [one] : quick ? shapes.quick : shapes.full;
  const fake = await startFakeWeb({ size: 'M', seed: 11 });
  const folder = workFolder('demand');
  try {
    const hosts = plainHosts(fake.web);
    const [trials, control] = await Promise.all([
      inTurn(chosen, (shape, n) => tryShape(stage(fake, folder.path, hosts, n), shape)),
      tryOldShares(stage(fake, folder.path, hosts, shapes.full.length)),
    ]);
    const longestMs = Math.max(...trials.map(({ longestMs }) => longestMs));
    const unfinished = trials.reduce((sum, trial) => sum + trial.unfinished, 0);
    return {
      ok: unfinished === 0,
      tooSlow: longestMs > MOST_MS,
      tooEasy: control <= MOST_MS,
      result: {
        trials: trials.length,
        starved: trials.filter((trial) => trial.longestMs > MOST_MS).length,
        longestSeconds: longestMs / 1_000,
        longestWallSeconds: Math.max(...trials.map(({ wallMs }) => wallMs)) / 1_000,
        unfinished,
        longestSecondsInControl: control / 1_000,
        byShape: trials.map(({ crawls, workers, longestMs: ms }) => ({
          crawls,
          workers,
          seconds: ms / 1_000,
        })),
        sizes: { hostsEach: HOSTS_EACH, shapes: chosen },
      },
    };
  } finally {
    await fake.stop();
    folder.remove();
  }
}

interface Stage {
  fake: FakeWeb;
  under: string;
  /** Hosts that no other stage uses. */
  hosts: Host[];
}

const HOSTS_PER_STAGE = 5 * HOSTS_EACH;

function stage(fake: FakeWeb, root: string, hosts: readonly Host[], n: number): Stage {
  // Stages that run one after the other may use the same hosts; the control runs beside them.
  const from = n === shapes.full.length ? HOSTS_PER_STAGE : 0;
  const own = hosts.slice(from, from + HOSTS_PER_STAGE);
  if (own.length < HOSTS_PER_STAGE) throw new Error('the fake web has too few plain hosts');
  const under = join(root, `stage-${n}`);
  mkdirSync(under);
  return { fake, under, hosts: own };
}

async function inTurn<In, Out>(
  list: readonly In[],
  work: (each: In, n: number) => Promise<Out>,
): Promise<Out[]> {
  const out: Out[] = [];
  for (const [n, each] of list.entries()) out.push(await work(each, n));
  return out;
}

/** A crawl with a coordinator of its own. */
interface Crawl {
  name: string;
  hosts: ReadonlySet<string>;
  network: Network;
  work: Work[];
  /** Starts it again with so many pages more. */
  raise(): Promise<void>;
}

interface Options extends Stage {
  store: string;
  command?: string;
}

async function startCrawl({ fake, under, hosts, store, command }: Options, n: number): Promise<Crawl> {
  const name = `crawl-${n}`;
  const own = hosts.slice(n * HOSTS_EACH, (n + 1) * HOSTS_EACH);
  const job = join(under, `${name}.json`);
  let pages = FIRST_PAGES * (n + 1);
  const write = async () => {
    const whole = jobOfHosts(fake, own, GAP_MS);
    await writeJob(job, { ...whole, name, limits: { ...whole.limits, pages } });
  };
  await write();
  const folder = join(under, name);
  mkdirSync(folder);
  const network = await startNetwork({
    job,
    under: folder,
    workers: 0,
    connections: CONNECTIONS,
    store,
    ...(command === undefined ? {} : { command }),
  });
  const work: Work[] = [{ fromNs: monotonicNs(), toNs: Number.POSITIVE_INFINITY }];
  return {
    name,
    hosts: new Set(own.map((host) => host.name)),
    network,
    work,
    async raise() {
      const [coordinator] = network.coordinators;
      (work.at(-1) as Work).toNs = monotonicNs();
      await coordinator?.stop();
      pages += MORE_PAGES;
      await write();
      await coordinator?.start();
      work.push({ fromNs: monotonicNs(), toNs: Number.POSITIVE_INFINITY });
    },
  };
}

async function startCrawls(options: Options, count: number): Promise<Crawl[]> {
  return await Promise.all(Array.from({ length: count }, (_, n) => startCrawl(options, n)));
}

async function stateOf({ network }: Crawl): Promise<string | undefined> {
  const status = await network.coordinators[0]?.status().catch(() => undefined);
  return status?.crawls[0]?.state;
}

async function limited(crawl: Crawl): Promise<void> {
  const over = async () => ['limited', 'finished'].includes((await stateOf(crawl)) ?? '');
  await until(`${crawl.name} to reach its limit`, over, CRAWL_MS);
  (crawl.work.at(-1) as Work).toNs = monotonicNs();
}

async function tryShape(where: Stage, shape: Shape) {
  const redis = await startRedis({});
  const ticks = startTicks();
  const crawls: Crawl[] = [];
  try {
    crawls.push(...(await startCrawls({ ...where, store: redis.url }, shape.crawls)));
    await addWorkers(crawls, shape.workers);
    let unfinished = 0;
    const live = async (crawl: Crawl) => {
      await limited(crawl);
      await crawl.raise();
      await limited(crawl);
    };
    await Promise.all(
      crawls.map((crawl) =>
        live(crawl).catch((error: unknown) => {
          console.error(`  ${String(error)}`);
          unfinished++;
        }),
      ),
    );
    const log = await where.fake.log();
    const each = crawls.map((crawl) => longestSilence(log, ticks, crawl));
    const shown = each.map(({ ms, wallMs }) => `${ms} (${wallMs})`).join(' ');
    console.error(`  ${shape.crawls} crawls, ${shape.workers} workers: ${shown} ms`);
    const longestMs = Math.max(...each.map(({ ms }) => ms));
    const wallMs = Math.max(...each.map((silence) => silence.wallMs));
    return { ...shape, longestMs, wallMs, unfinished };
  } finally {
    ticks.stop();
    await Promise.all(crawls.map(({ network }) => network.end()));
    await redis.stop();
  }
}

/** All of them know only the first coordinator. Work counts from then on. */
async function addWorkers(crawls: readonly Crawl[], count: number): Promise<void> {
  const { network } = crawls[0] as Crawl;
  await Promise.all(Array.from({ length: count }, () => network.addWorker()));
  for (const { work } of crawls) (work[0] as Work).fromNs = monotonicNs();
}

/** The longest silence of the second crawl, in ms. */
async function tryOldShares(where: Stage): Promise<number> {
  const command = copyWith(oldShares, join(where.under, 'source'));
  const redis = await startRedis({});
  const ticks = startTicks();
  const crawls: Crawl[] = [];
  try {
    const options = { ...where, store: redis.url, command };
    crawls.push(...(await startCrawls(options, 2)));
    await addWorkers(crawls, 2);
    const [, second] = crawls as [Crawl, Crawl];
    const [{ fromNs }] = second.work as [Work];
    await until('time', () => worthMs(ticks, fromNs) >= CONTROL_MS, CRAWL_MS);
    (second.work[0] as Work).toNs = monotonicNs();
    return longestSilence(await where.fake.log(), ticks, second).ms;
  } finally {
    ticks.stop();
    await Promise.all(crawls.map(({ network }) => network.end()));
    await redis.stop();
  }
}
