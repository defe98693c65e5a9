// watches: packages/coordinator/src/metrics, packages/coordinator/src/stores, packages/coordinator/src/network
// watches: packages/coordinator/src/crawl/watch, packages/worker/src/metrics, packages/protocol/src/metrics
// watches: deploy/prometheus, deploy/grafana
// ci: rated, because Prometheus judges by the clock.
// misses: alert rules and dashboards that name a metric that is gone, or never fire
import { setTimeout as sleep } from 'node:timers/promises';
import { alertNames, dashboardExpressions, metricsIn, namedMetrics } from '../alerts/named-metrics.ts';
import { type Prometheus, startPrometheus } from '../alerts/prometheus.ts';
import { endless, failing, luring, startSite } from '../alerts/sites.ts';
import {
  startCoordinator,
  startLocalCrawl,
  startWorker,
  type WatchedCoordinator,
  type WatchedWorker,
} from '../alerts/watched-network.ts';
import {
  byPromtool,
  failSchedule,
  failWebhook,
  freezeUntil,
  notScraped,
  troubleStore,
} from '../alerts/troubles.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { freePorts } from '../redis/server-process.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { argument, until, workFolder } from './lab.ts';

const patienceMs = 120_000;
/** How long a healthy network is watched; longer than most rules wait. */
const healthyMs = 12_000;

/**
 * A real Prometheus, with the rules of deploy/prometheus at two seconds for each minute, watches two networks: one on a store
 * with a replica, one without a store. While they are healthy no alert fires. Then each trouble is caused, and the alert
 * that is for it must fire, not having fired before. Every expression of the dashboard is asked of the same Prometheus, and
 * every metric that rules and dashboard name must be in a scrape. `--rounds N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 3));
  const all: Verdict[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await trial();
    console.error(`  ${JSON.stringify(one)}`);
    all.push(one);
  }
  return {
    ok: all.every(
      ({ silent, early, malformed, absent, resolved }) =>
        [silent, early, malformed, absent].every((list) => list.length === 0) && resolved,
    ),
    result: {
      alerts: alertNames().length,
      expressions: dashboardExpressions().length,
      rounds: all,
      sizes: { rounds },
    },
  };
}

interface Verdict {
  /** Seconds from the trouble to the alert. */
  fired: Record<string, number>;
  /** Alerts that did not fire. */
  silent: string[];
  /** Alerts that fired before their trouble. */
  early: string[];
  /** Expressions of the dashboard that Prometheus does not accept. */
  malformed: string[];
  /** Metrics that rules or dashboard name and no scrape has. */
  absent: string[];
  /** The alerts about the store were over when the store was well again. */
  resolved: boolean;
}

interface World {
  redis: RedisServers;
  stored: WatchedCoordinator;
  plain: WatchedCoordinator;
  workers: Record<'stored' | 'first' | 'second', WatchedWorker>;
  prometheus: Prometheus;
  sites: Record<'storedSite' | 'plainSite' | 'failing' | 'luring', string>;
  /** What a crawl without a network reports of its worker processes. */
  ofProcesses: string;
  /** An address at which nobody listens. */
  closed: string;
}

async function trial(): Promise<Verdict> {
  const { path, remove } = workFolder('alerts');
  const ends: (() => unknown)[] = [remove];
  try {
    const world = await openWorld(path, (end) => void ends.push(end));
    return await judge(world);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function openWorld(under: string, atEnd: (end: () => unknown) => void): Promise<World> {
  const site = async (host: string, page: typeof endless) => {
    const one = await startSite(host, page);
    atEnd(() => one.stop());
    return one.origin;
  };
  const redis = await startRedis({ replicasEach: 1, parent: under });
  atEnd(() => redis.stop());
  const [stored, plain] = await Promise.all([
    startCoordinator(under, 'stored', ['--store', redis.url]),
    startCoordinator(under, 'plain', ['--webhook-private', '127.0.0.0/8']),
  ]);
  for (const { process } of [stored, plain]) atEnd(() => process.kill());
  const [ofStored, first, second] = await Promise.all([
    startWorker(under, 'worker-stored', stored),
    startWorker(under, 'worker-first', plain),
    startWorker(under, 'worker-second', plain),
  ]);
  for (const { process } of [ofStored, first, second]) atEnd(() => process.kill());
  const prometheus = await startPrometheus(`${under}/prometheus`, [
    {
      name: 'webfarer-coordinator',
      targets: [stored.target()],
      every: '3s',
      tokenFile: stored.tokenFile,
    },
    {
      name: 'webfarer-coordinator',
      targets: [plain.target()],
      every: '500ms',
      tokenFile: plain.tokenFile,
    },
    {
      name: 'webfarer-worker',
      targets: [ofStored, first, second].map((worker) => worker.target()),
      every: '500ms',
    },
  ]);
  atEnd(() => prometheus.stop());
  const [port] = await freePorts('127.0.0.1', 1);
  return {
    redis,
    stored,
    plain,
    workers: { stored: ofStored, first, second },
    prometheus,
    sites: {
      storedSite: await site('127.0.0.2', endless),
      plainSite: await site('127.0.0.3', endless),
      failing: await site('127.0.0.4', failing),
      luring: await site('127.0.0.5', luring),
    },
    ofProcesses: await scrapeOfProcesses(under, await site('127.0.0.7', endless)),
    closed: `http://127.0.0.6:${port}`,
  };
}

async function scrapeOfProcesses(under: string, site: string): Promise<string> {
  const crawl = await startLocalCrawl(under, 'local', site);
  try {
    return await crawl.metrics();
  } finally {
    await crawl.process.kill();
  }
}

async function begin(
  coordinator: WatchedCoordinator,
  name: string,
  seed: string,
  more: object = {},
): Promise<void> {
  const job = {
    name,
    seeds: [`${seed}/0`],
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    limits: { pages: 'none', depth: 'none', minFree: '1MB' },
    politeness: { gap: '200ms', slowFactor: 0 },
    fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } },
    save: ['none'],
    ...more,
  };
  await coordinator.ask('POST', '/v1/crawls', { job });
}

async function judge(world: World): Promise<Verdict> {
  const { stored, plain, workers, prometheus, redis, sites, ofProcesses } = world;
  const fired: Record<string, number> = {};
  const early = new Set<string>();
  const silent: string[] = [];

  let resolved = true;
  async function calm(name: string): Promise<void> {
    const isCalm = async () => !(await prometheus.firing()).has(name);
    await until(`${name} to end`, isCalm, patienceMs).catch(() => (resolved = false));
  }

  async function expectAlerts(names: string[], cause: () => Promise<unknown>): Promise<void> {
    const before = await prometheus.firing();
    for (const name of names) if (before.has(name)) early.add(name);
    const begun = performance.now();
    await cause();
    const left = new Set(names);
    const look = async () => {
      for (const name of await prometheus.firing())
        if (left.delete(name)) fired[name] = Math.round((performance.now() - begun) / 100) / 10;
      return left.size === 0;
    };
    await until(names.join(', '), look, patienceMs).catch(() => silent.push(...left));
  }

  await begin(stored, 'steady-stored', sites.storedSite);
  await begin(plain, 'steady-plain', sites.plainSite);
  const flows = async () =>
    (await prometheus.query('increase(webfarer_pages_total[8s]) > 0')).length >= 2 &&
    (await prometheus.query('up == 1')).length === 5;
  await until('pages of both networks', flows, patienceMs);
  await sleep(healthyMs);
  for (const name of await prometheus.firing()) if (!byPromtool.has(name)) early.add(name);

  await Promise.all([
    expectAlerts(['WebfarerCrawlStalled'], () => begin(plain, 'unreachable', world.closed)),
    expectAlerts(['WebfarerTooManyFailures'], () => begin(plain, 'failing', sites.failing)),
    expectAlerts(['WebfarerEgressRefusals'], () =>
      begin(plain, 'lured', sites.luring, {
        scope: { stay: 'web' },
        fetch: { allowPrivate: ['127.0.0.0/8'] },
      }),
    ),
    expectAlerts(['WebfarerWebhookFailing'], () => failWebhook(plain, `${world.closed}/hook`)),
    expectAlerts(['WebfarerScheduleFailing'], () => failSchedule(plain, `${sites.plainSite}/0`)),
    freezeUntil('WebfarerEventLoopLate', workers.second, expectAlerts),
    troubleStore(redis, expectAlerts, calm),
  ]);

  const malformed: string[] = [];
  for (const expression of dashboardExpressions())
    await prometheus
      .query(expression)
      .catch((error: unknown) => malformed.push(`${expression}: ${String(error)}`));

  await expectAlerts(['WebfarerMinFree'], () =>
    begin(plain, 'large', sites.plainSite, { limits: { minFree: '900TB' } }),
  );
  await expectAlerts(['WebfarerDiskFull'], () => workers.second.restartWith(['--min-free', '900TB']));
  await expectAlerts(['WebfarerWorkerDown', 'WebfarerNoWorker'], async () => {
    await workers.first.process.kill();
    await workers.second.process.kill();
  });
  await expectAlerts(['WebfarerCoordinatorDown', 'WebfarerWorkerDisconnected'], () => stored.process.kill());

  // Over the whole time: a crawl that is over, or waits no longer, is absent from later scrapes.
  const seen = new Set([...(await prometheus.scraped()), ...metricsIn(ofProcesses)]);
  const caused = new Set([...Object.keys(fired), ...silent]);
  return {
    fired,
    silent: [...silent, ...alertNames().filter((name) => !caused.has(name) && !byPromtool.has(name))],
    early: [...early],
    malformed,
    absent: [...namedMetrics()].filter((name) => !seen.has(name) && !notScraped.has(name)),
    resolved,
  };
}
