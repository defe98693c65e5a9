import { join, resolve } from 'node:path';
import {
  type Clock,
  type Job,
  systemClock,
  type Url,
  type WorkerId,
  WebfarerError,
} from '@webfarer/protocol';
import { defaultTeam, type Durability, resolveJob, type StoreChoice } from '@webfarer/protocol/job';
import type { Peer } from '@webfarer/protocol/link';
import type { Catalog } from './catalog/catalog.ts';
import { calmReads } from './frontier/calm-reads.ts';
import type { KnownCrawl } from './own-crawls/crawl-deleter.ts';
import { createOwnCrawls } from './own-crawls/own-crawls.ts';
import type { Crawl, CrawlEnding } from './crawl/crawl.ts';
import { type CrawlOutside, type CrawlSpec, openCrawl, type Resumed } from './crawl/open-crawl.ts';
import { type CrawlIntake, runCrawl, type RunningCrawl } from './crawl/run-crawl.ts';
import { withItsPolicy } from './crawl/with-policy.ts';
import { createEventBus, type EventBus } from './events/event-bus.ts';
import { type Manifest, memberOf, readManifest } from './folder/manifest.ts';
import type { FolderFrontier } from './folder/open-frontier.ts';
import { drainInto } from './folder/segment-folders.ts';
import { type GivenStore, withPassword } from './folder/store-password.ts';
import { openSqliteFrontier, type SqliteFrontierOptions } from './frontier/sqlite/sqlite-frontier.ts';
import { followRules } from './host-rules/follow-rules.ts';
import { type HostRules, settableRules } from './host-rules/host-rules.ts';
import type { HostLedger } from './ledger/host-ledger.ts';
import { machineClock } from './ledger/machine-clock.ts';
import { openHostLedger } from './ledger/sqlite-ledger.ts';
import { createCrawlRouter, type CrawlRouter } from './link/crawl-router.ts';
import { createLinkServer, type LinkServer } from './link/link-server.ts';
import { createLeaseRoster } from './link/lease-roster.ts';
import { nothingElsewhere, shareLeases } from './link/lease-sharing.ts';
import { linkLimits } from './link/link-limits.ts';
import { type LinkTokens, listedTokens } from './tokens/tokens.ts';
import { shareCookies } from './link/shared-cookies.ts';
import { createWorkerPool, type WorkerPool } from './link/worker-pool.ts';
import { noRules, type WorkerRules } from './link/worker-rules.ts';
import type { ResourceIntake } from './link/worker-session.ts';
import { createUpkeep, type Upkeep } from './maintenance/upkeep.ts';
import type { ServedByMember } from './network/neighbours.ts';
import { folderRegistry } from './registry/folder-registry.ts';
import { openPolicies, type Policies } from './registry/policies.ts';
import type { Registry } from './registry/registry.ts';
import { openTeams, type Teams } from './registry/teams.ts';
import { type RegistryWatch, watchRegistry } from './registry/watch-registry.ts';
import type { JoinedStore } from './store/join-store.ts';
import type { DrainOptions } from './results/draining/drainer.ts';
import { workerId } from './link/worker-id.ts';

export interface CoordinatorOptions {
  /** Where its crawls are, each in a folder below `crawls`, unless a crawl has a folder of its own. */
  folder: string;
  /** Of the software. */
  version: string;
  /** Who it is among those that share its crawls. */
  id?: string;
  clock?: Clock;
  /** The store that all its crawls are kept in; without one each is kept in its folder. */
  store?: StoreChoice;
  /** Where the host clocks are that its crawls share with others of this machine. */
  ledger?: HostLedger;
  /** Passwords of stores that were given to this process. */
  given?: GivenStore;
  /** For proofs: failpoints and negative controls. */
  sqlite?: Pick<SqliteFrontierOptions, 'failpoint' | 'unsafeOutcomesFirst'>;
  drain?: Pick<DrainOptions, 'failpoint' | 'unsafeKeepFirst' | 'claimMs'>;
}

export interface CreateOptions extends CrawlSpec {
  /** Where the crawl is kept; `crawls/NAME` in the coordinator's folder when absent. */
  folder?: string;
}

/** What the host of a crawl does for it; `headless` where it does nothing. */
export interface CrawlHost extends CrawlOutside {
  /** Writes what a person opens after a crawl; undefined where a stop left no time for it. */
  conclude(
    ending: CrawlEnding & { manifest: Manifest; frontier: FolderFrontier },
  ): Promise<Manifest['outputs'] | undefined>;
  /** Where bodies go that workers send to the coordinator. */
  intake(parts: IntakeParts): Promise<CrawlIntake>;
}

export interface IntakeParts {
  job: Crawl['job'];
  folder: string;
  baseFolder: string;
  manifest: Manifest;
}

/** A crawl that was created or taken up. */
export interface CreatedCrawl {
  crawl: Crawl;
  /** Present when it was begun before, here or elsewhere. */
  resumed?: Resumed;
}

/**
 * Hosts any number of crawls and hands them out to workers: in its own process, or on other machines once it listens.
 * Knows nothing of terminals, and keeps nothing that a crash could lose.
 */
export interface Coordinator {
  readonly id: string;
  readonly events: EventBus;
  /** The store its crawls are kept in, in words. */
  readonly store: { promise: string; warnings: string[] } | undefined;
  /** What operators have written, for all coordinators of the store. */
  readonly registry: Registry;
  readonly registryWatch: RegistryWatch;
  readonly policies: Policies;
  readonly teams: Teams;
  /** What operators and site owners decided about hosts, for all crawls. */
  readonly rules: HostRules;
  /** Begins a crawl, or takes up the one of the same name. */
  create(options: CreateOptions, host?: CrawlHost): Promise<CreatedCrawl>;
  crawls(): Crawl[];
  crawl(name: string): Crawl | undefined;
  /**
   * Deletes a crawl and all that is kept of it, here and in the store, whoever works on it. Its name is free at once. A
   * folder that was chosen for the crawl stays. False: there is no such crawl.
   */
  delete(name: string): Promise<boolean>;
  /** Joins a worker of this process. */
  connect: WorkerPool['connect'];
  /** A worker of this process has paused by itself, or resumed. */
  workerPaused: WorkerPool['paused'];
  /** The process of a worker is dead: nobody will come back with its leases. */
  workerGone(worker: WorkerId): Promise<void>;
  /** A fault of ours in a worker of this process: its crawls cannot continue. */
  fail(error: unknown): void;
  /** Ends the crawls that still run and closes everything. */
  stop(how?: { now?: boolean }): Promise<void>;
}

/** What a server that listens needs of its coordinator. */
export interface CoordinatorParts extends Coordinator {
  readonly router: CrawlRouter;
  readonly pool: WorkerPool;
  readonly server: LinkServer;
  readonly joined: JoinedStore | undefined;
  /** Which crawls there are, here and elsewhere in its store. */
  catalog(): Catalog;
  /** What its store promises; `strict` without one. */
  readonly durability: Durability;
  /** Where it keeps a crawl of this name, or would. */
  folderOf(name: string): string;
  /** Its crawls, as those who share out workers count them. */
  running(): ServedByMember[];
}

/** The clocks of hosts, in the coordinator's folder. */
const ledgerName = 'hosts.db';
/** Many workers report to one file: what they report within this time shares a transaction. */
const GATHER_MS = 40;
/** How long workers may take to let go of the hosts of a deleted crawl. */
const LET_GO_MS = 5_000;
const LET_GO_LOOK_MS = 50;

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  return await openParts(options, undefined);
}

/** What listening changes for the crawls of a coordinator. */
export interface Listening {
  tokens: LinkTokens;
  /** A worker in this process is still connecting. */
  expectsWorker: boolean;
  othersServe: () => boolean;
  /** Hands workers over to other coordinators. `over`: the crawl is, here and everywhere. */
  retire: (over: boolean, signal: AbortSignal) => Promise<void>;
  /** It has a crawl again. */
  serving: () => void;
  /** No worker is connected any more; the store is still open. */
  closing: () => Promise<void>;
  link: typeof alone;
  rules: WorkerRules;
  resources: ResourceIntake;
}

/** A coordinator that is the only one. */
const alone = {
  peers: (): Peer[] => [],
  stillDry: (_hosts: number): void => undefined,
  elsewhere: () => nothingElsewhere,
};

export async function openParts(
  options: CoordinatorOptions,
  listening: Listening | undefined,
): Promise<CoordinatorParts> {
  const clock = options.clock ?? systemClock();
  const folder = resolve(options.folder);
  const { version, given } = options;
  const id = options.id ?? 'local';
  const crawls = new Map<string, RunningCrawl>();
  const events = createEventBus({ clock, failed: fail });
  const joined = options.store && (await joinTheStore(options.store, { folder, id, clock, options }));
  const registry = joined?.frontier.registry ?? folderRegistry(folder, clock);
  const registryWatch = watchRegistry({ registry, clock, failed: fail });
  const policies = openPolicies(registry, clock);
  const teams = openTeams({ registry, watch: registryWatch, clock, isActive });
  const router = createCrawlRouter(clock, (team) => teams.weightOf(team));
  const link = {
    clock,
    hostsQueued: () => router.hostsQueued(),
    ...(listening?.link ?? alone),
  };
  const workerRules = listening?.rules ?? noRules;
  const share = shareLeases(link);
  const cookies = shareCookies();
  const roster = createLeaseRoster({ link: router.link, clock, mostAway: linkLimits.workers });
  const server = createLinkServer({
    ...link,
    link: router.link,
    id,
    version,
    own: { roster, share, cookies },
    heard: () => undefined,
    tokens: listening?.tokens ?? listedTokens({ own: [], volunteer: [] }),
    crawls: () => router.crawls(),
    bodies: (crawl) => router.bodies(crawl),
    releaseLeases: (worker) => router.releaseLeases(worker),
    grantedTo: (worker) => router.grantedTo(worker),
    events,
    rules: workerRules,
    resources: listening?.resources,
  });
  const pool = createWorkerPool({
    router,
    roster,
    share,
    cookies,
    server,
    version,
    rules: workerRules,
    clock,
  });
  events.listen(['worker-joined', 'worker-left'], () => pool.changed());
  // A crawl by itself has no operators; its job file says what holds for its hosts.
  const rules = joined || listening ? await followRules(registryWatch) : settableRules();
  // Workers stop before their next request and bring the hosts back, which are then given out under the new rules.
  const unfollow = rules.onChange((patterns) => {
    pool.releaseHosts(patterns);
    pool.wake();
  });
  const sharedUpkeep = joined && createUpkeep({ frontier: joined.frontier, clock, shared: true });
  const sharedReads = joined && calmReads(joined.frontier, clock);
  let ownLedger: HostLedger | undefined;
  /** Names of crawls that are being opened, or run. */
  const busy = new Set<string>();
  /** Which crawls they are, by the catalog. */
  const nonces = new Map<string, string>();
  const ownCrawls = createOwnCrawls({
    folder,
    clock,
    frontier: joined?.frontier,
    close: closeDeleted,
    failed: fail,
  });
  let stopped: Promise<void> | undefined;

  /** Crawls that are kept in the coordinator's folder are polite to each other, whatever else the machine crawls. */
  function ledgerFor(asked: CreateOptions): { ledger?: HostLedger } {
    if (options.ledger) return { ledger: options.ledger };
    if (asked.folder !== undefined) return {};
    ownLedger ??= openHostLedger({ path: join(folder, ledgerName), clock: machineClock() });
    return { ledger: ownLedger };
  }

  /** Frees what an earlier session in this folder left: the lock says that it is dead. */
  async function releaseOwn(opened: Awaited<ReturnType<typeof openCrawl>>): Promise<void> {
    const { manifest, frontier, job, workersBefore } = opened;
    const member = memberOf(manifest);
    if (member === undefined) return void (await frontier.releaseAll());
    // Workers could not renew while it was away, and bring what they have.
    if (listening) return void (await frontier.owner?.renewAll());
    const count = Math.max(job.processes, workersBefore);
    await frontier.releaseAll(workerId(member));
    for (let process = 1; count > 1 && process <= count; process++)
      await frontier.releaseAll(workerId(member, process));
  }

  /** No more leases; a host whose lease nobody gives back stays held for other crawls until the lease has run out. */
  async function letGo(crawl: RunningCrawl): Promise<void> {
    await crawl.pause();
    const untilMs = clock.now() + LET_GO_MS;
    while (clock.now() < untilMs && (await crawl.snapshot()).balance.leased > 0)
      await clock.sleep(LET_GO_LOOK_MS);
  }

  /** The work on a deleted crawl ends; workers are given a moment to let go of their hosts. */
  async function closeDeleted({ name, nonce }: KnownCrawl): Promise<void> {
    const crawl = crawls.get(name);
    if (!crawl || nonces.get(name) !== nonce) return;
    await letGo(crawl).catch((error: unknown) => {
      if (!(error instanceof WebfarerError) || error.code !== 'not-found') throw error;
    });
    await crawl.stop({ now: true });
    crawls.delete(name);
    nonces.delete(name);
  }

  /** Kept in its folder, it is active only while it is open here; in a store others may work on it. */
  async function isActive(name: string): Promise<boolean> {
    const crawl = crawls.get(name);
    const entry = crawl ? undefined : await joined?.frontier.catalog.find(name);
    const state = crawl?.state ?? (entry && (await joined?.frontier.state(entry.id).catch(() => undefined)));
    return state === 'running' || state === 'paused';
  }

  function fail(error: unknown): void {
    for (const crawl of crawls.values()) crawl.fail(error);
  }

  async function create(asked: CreateOptions, host: CrawlHost = headless): Promise<CreatedCrawl> {
    if (stopped) throw new WebfarerError('usage', 'the coordinator has stopped');
    // All crawls of a coordinator are kept in its store, so that one host is asked by one of them at a time.
    const described = asked.job ?? resolveJob(asked.input);
    const job = options.store ? { ...described, store: options.store } : described;
    if (busy.has(job.name))
      throw new WebfarerError('usage', `a crawl named ${job.name} runs already`, {
        next: 'Give the new one another name.',
      });
    busy.add(job.name);
    return await begin(asked, job, host).catch(async (error: unknown) => {
      busy.delete(job.name);
      await teams.giveBack({ team: job.team ?? defaultTeam, crawl: job.name }).catch(() => undefined);
      throw error;
    });
  }

  async function begin(asked: CreateOptions, described: Job, host: CrawlHost): Promise<CreatedCrawl> {
    const where = resolve(asked.folder ?? ownCrawls.folderOf(described.name));
    if (asked.folder === undefined) await ownCrawls.clear(described.name);
    const { input, job } = await withItsPolicy({ input: asked.input, job: described }, policies, async () =>
      joined ? (await joined.frontier.catalog.find(described.name))?.job : (await readManifest(where))?.job,
    );
    const { pages, bytes } = job.limits;
    await teams.claim({ team: job.team ?? defaultTeam, crawl: job.name, pages, bytes });
    const opened = await openCrawl({
      ...asked,
      input,
      job,
      folder: where,
      version,
      clock,
      given,
      store: joined && { frontier: joined.frontier, member: id },
      network: listening ? id : undefined,
      openDatabase: (path) =>
        openSqliteFrontier({
          path,
          clock,
          gatherMs: listening ? GATHER_MS : 0,
          ...ledgerFor(asked),
          ...options.sqlite,
        }),
      outside: host,
    });
    const { manifest, frontier, lock, previous, shared } = opened;
    try {
      if (joined || asked.folder === undefined)
        nonces.set(job.name, (await ownCrawls.enter(manifest, where)).nonce);
      const upkeep: Upkeep = sharedUpkeep ?? createUpkeep({ frontier, clock, shared: false });
      const parts = { job: opened.job, folder: where, baseFolder: asked.baseFolder, manifest };
      const crawl = await runCrawl({
        manifest,
        job: opened.job,
        folder: where,
        clock,
        events,
        frontier,
        reads: sharedReads ?? { ...frontier, forget: () => undefined, stir: () => undefined },
        shared: joined,
        lock,
        previous,
        offers: opened.offers,
        router,
        pool,
        upkeep,
        rules,
        intake: await host.intake(parts),
        network: listening,
        releaseOwn: () => releaseOwn(opened),
        othersTakePart: async () =>
          (await joined?.membership.list())?.some((member) => member.id !== id) ?? false,
        retire: async (over, signal) => {
          if (busy.size === 1) await listening?.retire(over, signal);
        },
        keepJob: async (input) => await shared?.replace({ job: input, seeds: manifest.seeds }),
        conclude: (ending) => host.conclude({ ...ending, manifest, frontier }),
        given,
        async closed() {
          busy.delete(job.name);
          if (!joined) await frontier.close();
        },
      });
      crawls.set(job.name, crawl);
      listening?.serving();
      return { crawl, ...(opened.resumed ? { resumed: opened.resumed } : {}) };
    } catch (error) {
      if (!joined) await frontier.close();
      await previous?.close();
      lock.release();
      throw error;
    }
  }

  async function close(how: { now?: boolean }): Promise<void> {
    unfollow();
    await Promise.all(Array.from(crawls.values(), (crawl) => crawl.stop(how)));
    await server.stop(router.isOver() ? 'every crawl is over' : 'it ends');
    await listening?.closing();
    await ownCrawls.stop();
    await registryWatch.stop();
    await registry.close();
    await joined?.frontier.close();
    ownLedger?.close();
  }

  await ownCrawls.start();
  return {
    id,
    events,
    store: joined && { promise: joined.promise, warnings: joined.warnings },
    registry,
    registryWatch,
    policies,
    teams,
    rules,
    create,
    crawls: () => [...crawls.values()],
    crawl: (name) => crawls.get(name),
    delete: (name) => ownCrawls.delete(name),
    connect: (worker) => pool.connect(worker),
    workerPaused: (worker: WorkerId, pause) => pool.paused(worker, pause),
    workerGone: (worker) => router.releaseLeases(worker),
    fail,
    async stop(how = {}) {
      stopped ??= close(how);
      await stopped;
    },
    router,
    pool,
    server,
    joined,
    catalog: () => ownCrawls.catalog(),
    durability: options.store?.durability ?? 'strict',
    folderOf: (name) => ownCrawls.folderOf(name),
    running: () =>
      Array.from(crawls.values(), ({ id: crawl, state, hostsQueued }) => ({ id: crawl, state, hostsQueued })),
  };
}

async function joinTheStore(
  choice: StoreChoice,
  { folder, id, clock, options }: { folder: string; id: string; clock: Clock; options: CoordinatorOptions },
): Promise<JoinedStore> {
  const { joinStore } = await import('./store/join-store.ts');
  return await joinStore(await withPassword(choice, folder, options.given), clock, {
    drain: { ...drainInto(folder, id), ...options.drain },
  });
}

const noIntake: CrawlIntake = {
  mostBytes: 0,
  arriving() {
    throw new WebfarerError('frame-invalid', 'bodies are not taken here');
  },
  sync: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  written: () => ({ files: 0, bytes: 0 }),
};

/** A crawl without outputs, whose seeds are taken as they stand. */
export const headless: CrawlHost = {
  chooseSeeds: (seeds) => Promise.resolve(seeds.map(({ candidates }) => candidates[0] as Url)),
  check: () => Promise.resolve(),
  prepared: () => Promise.resolve(),
  conclude: () => Promise.resolve({}),
  intake: () => Promise.resolve(noIntake),
};
