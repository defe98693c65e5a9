import { join, resolve } from 'node:path';
import { type Job, systemClock, type WorkerId, WebfarerError } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import { type Catalog, type CatalogEntry, openStates } from './catalog/catalog.ts';
import { type CoordinatorOptions, joinTheStore } from './coordinator-options.ts';
import type { Coordinator, CoordinatorParts, CreatedCrawl, CreateOptions } from './coordinator-parts.ts';
import { crawlEntry, isOpen, jobInCatalog, noEntry } from './catalog/crawl-entry.ts';
import { entriesIn } from './catalog/deletion.ts';
import { createCrawlBeginner } from './crawl/begin-crawl.ts';
import { type CrawlHost, headless } from './crawl/crawl-host.ts';
import { storedOwnCode } from './crawl/job/own-code.ts';
import type { CrawlParts } from './crawl/crawl-parts.ts';
import type { RunningCrawl } from './crawl/running-crawl.ts';
import { withItsPolicy } from './crawl/job/with-policy.ts';
import { eventsAndFaults } from './events/faults.ts';
import { readManifest } from './folder/manifest.ts';
import { watchOrders } from './folder/order-watch.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import { followRules, obeyRules } from './host-rules/follow-rules.ts';
import { settableRules } from './host-rules/host-rules.ts';
import type { HostLedger } from './ledger/host-ledger.ts';
import { ledgerAt } from './ledger/ledger-at.ts';
import type { Listening } from './listening.ts';
import { reportCoordinator } from './metrics/report-coordinator.ts';
import { openPool } from './open-pool.ts';
import { folderRegistry } from './registry/folder-registry.ts';
import { openPolicies } from './registry/policies.ts';
import { watchRegistry } from './registry/watch-registry.ts';
import { activeCrawls } from './own-crawls/active-crawls.ts';
import type { KnownCrawl } from './own-crawls/crawl-deleter.ts';
import { createRetirer } from './maintenance/retirer.ts';
import { createCrawlKeeper } from './own-crawls/crawl-keeper.ts';
import { createCrawlFailures } from './own-crawls/crawl-failures.ts';
import { type CrawlListing, listingOf } from './own-crawls/crawl-listing.ts';
import { createCrawlsByName } from './own-crawls/crawls-by-name.ts';
import { entryOpener } from './own-crawls/open-entry.ts';
import { letGoOfHosts } from './own-crawls/let-go-of-hosts.ts';
import { createOwnCrawls } from './own-crawls/own-crawls.ts';
import { createQuotaKeeper } from './teams/quota-keeper.ts';
import { openTeams } from './teams/teams.ts';
import { createConsumers } from './results/consumers.ts';

interface OpenCrawl extends CreatedCrawl {
  crawl: RunningCrawl;
}

/** Of a crawl that is opened as the catalog has it. */
const asInCatalog = { rescope: true, fromCatalog: true };
/** The clocks of hosts, in the coordinator's folder. */
const ledgerName = 'hosts.db';
/** Many workers report to one file: what they report within this time shares a transaction. */
const GATHER_MS = 40;
/** Crawls that have ended and can still be asked for their last snapshot without opening their folder. */
const MOST_ENDED = 50;

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  return await openParts(options, undefined);
}

export async function openParts(
  options: CoordinatorOptions,
  listening: Listening | undefined,
): Promise<CoordinatorParts> {
  const clock = options.clock ?? systemClock();
  const folder = resolve(options.folder);
  const { version, given, id = 'local' } = options;
  const crawls = new Map<string, RunningCrawl>();
  const { events, faulty } = eventsAndFaults(clock);
  const joined = options.store && (await joinTheStore(options.store, { folder, id, clock, options }));
  const registry = joined?.frontier.registry ?? folderRegistry(folder, clock);
  const registryWatch = watchRegistry({ registry, clock, failed: faulty });
  const policies = openPolicies(registry, clock);
  const consumers = createConsumers(registry, clock);
  const standing = joined !== undefined || listening !== undefined;
  const isActive = activeCrawls(crawls, joined?.frontier);
  const isOpenHere = (name: string) => busy.has(name);
  const teams = openTeams({ registry, watch: registryWatch, clock, isActive, isOpen: isOpenHere, standing });
  const { router, pool, server, rates, crawlDeleted, workerGone } = openPool({
    id,
    version,
    clock,
    events,
    listening,
    weightOf: (team) => teams.weightOf(team),
    stays: () => isStarted && stopped === undefined,
    catalog: () => ownCrawls.catalog(),
    deletedAmong: (kept) => ownCrawls.deletedAmong(kept),
  });
  if (options.metrics)
    reportCoordinator({
      metrics: options.metrics,
      clock,
      events,
      pool,
      crawls: () => [...crawls.values()],
      watch: joined?.watch,
      reportsCrawls: () => listening?.reportsCrawls() ?? true,
    });
  // A crawl by itself has no operators; its job file says what holds for its hosts.
  const rules = joined || listening ? await followRules(registryWatch) : settableRules();
  const unfollow = obeyRules(rules, pool, () => crawls.values());
  const quotas = createQuotaKeeper({ teams, clock, crawls: () => crawls.values(), failed: faulty });
  // A crawl by itself, in a folder that its user chose, is deleted by its user.
  const retirer = createRetirer({
    clock,
    registry,
    catalog: () => ownCrawls.existing(),
    own: () => ownCrawls,
    stuck: (crawl, error) => failures.add(crawl, error),
    failed: faulty,
  });
  const ownLedger = ledgerAt(join(folder, ledgerName));
  /** Crawls that are being opened, or run, by their names. */
  const busy = new Map<string, Promise<OpenCrawl>>();
  /** Which crawls they are, by the catalog. */
  const nonces = new Map<string, string>();
  const drop = (name: string) => crawls.delete(name) && nonces.delete(name);
  /** Of crawls that should be open, by their nonces. */
  const failures = createCrawlFailures(clock, events);
  const orders = watchOrders(folder, clock);
  const beginCrawl = createCrawlBeginner({
    id,
    version,
    clock,
    events,
    router,
    pool,
    orders,
    joined,
    network: listening?.servesOthers ? listening : undefined,
    rules,
    given,
    faulty,
  });
  const keeper = createCrawlKeeper({
    clock,
    wanted: async () => {
      const catalog = ownCrawls.existing();
      return catalog ? await entriesIn(catalog, openStates) : [];
    },
    entry: async (name) => await ownCrawls.existing()?.find(name),
    open: () => [...busy.keys()],
    opened: async (name) => await busy.get(name)?.catch(() => undefined),
    follow: followEntry,
    takeUp: (entry) => openEntry(entry),
    recovered: ({ nonce }) => failures.clear(nonce),
    failed: (entry, error) => failures.add(entry, error),
    faulty,
  });
  const ownCrawls = createOwnCrawls({
    folder,
    clock,
    frontier: joined?.frontier,
    close: closeDeleted,
    objectsOf: (crawl) => (options.host ?? headless).objectsOf(crawl),
    forget: (crawl) => consumers.forget(crawl),
    changed: (entries) => keeper.changed(entries),
    missed: () => keeper.missed().then(() => pool.missedDeletions()),
    stuck: failures.add,
    gone: ({ nonce }) => failures.clear(nonce),
    failed: faulty,
  });
  const byName = createCrawlsByName({
    clock,
    catalog: () => ownCrawls.existing(),
    open,
    // The keeper may have seen the change of the catalog first.
    takeUp: async (entry) => (await (busy.get(entry.name) ?? takeUp(entry))).crawl,
    listing,
    mayOpen: (entry) => teams.mayOpen(entry),
    resolve: (input) => (options.host ?? headless).resolve(input),
  });
  const openEntry = entryOpener({
    catalog: () => ownCrawls.existing(),
    open,
    nonceOf: (name) => nonces.get(name),
    isBusy: (name) => busy.has(name),
    takeUp,
  });
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let isStarted = false;
  let stopped: Promise<void> | undefined;

  const isOwn = (at: string, name: string) => at === ownCrawls.folderOf(name);

  /** Crawls that are kept in the coordinator's folder are polite to each other, whatever else the machine crawls. */
  function ledgerFor(at: string, name: string): { ledger?: HostLedger } {
    if (options.ledger) return { ledger: options.ledger };
    if (!isOwn(at, name) && !(listening && at === folder)) return {};
    return { ledger: ownLedger.open() };
  }

  /** The work on a deleted crawl ends; workers are given a moment to let go of their hosts, then erase what they keep. */
  async function closeDeleted({ id: deleted, name, nonce }: KnownCrawl): Promise<void> {
    const crawl = nonces.get(name) === nonce ? crawls.get(name) : undefined;
    if (crawl) {
      if (!crawl.ending) await letGoOfHosts(crawl, clock);
      await quotas.look(crawl);
      await crawl.leave({ now: true });
      drop(name);
    }
    crawlDeleted({ id: deleted, nonce });
  }

  function fail(error: unknown): void {
    failure.reject(error);
    for (const crawl of crawls.values()) crawl.fail(error);
  }

  /** Does to a crawl that is open here what its entry says. */
  async function followEntry(entry: CatalogEntry): Promise<boolean> {
    const crawl = crawls.get(entry.name);
    if (!crawl || !busy.has(entry.name) || nonces.get(entry.name) !== entry.nonce) return false;
    if (crawl.ending) {
      await crawl.ended.catch(() => undefined);
      return false;
    }
    await crawl.followEntry(entry);
    return true;
  }

  function takeUp(given: CatalogEntry): Promise<OpenCrawl> {
    return reserved(given.name, async () => {
      if (given.ownCode) throw storedOwnCode(given.name);
      const { entry, at, baseFolder = options.baseFolder ?? folder } = await ownCrawls.keptOf(given);
      const host = options.host ?? headless;
      const begun = entry.unbegun ? await ownCrawls.toBegin(entry) : {};
      const asked = {
        input: entry.job,
        baseFolder,
        folder: at,
        holds: entry.id,
        ...asInCatalog,
        ...begun,
      };
      const taken = await begin(asked, { job: host.resolve(entry.job), host, wanted: 'running' });
      await taken.crawl.begun;
      return taken;
    });
  }

  async function create(asked: CreateOptions, host = options.host ?? headless): Promise<CreatedCrawl> {
    const job = asked.job ?? host.resolve(asked.input);
    if (joined) await endDeleted(job.name, joined.frontier.catalog);
    const created = await reserved(job.name, () =>
      begin(asked, { job, host, wanted: asked.paused ? 'paused' : 'asked' }).catch(async (error: unknown) => {
        await teams.giveBack({ team: job.team ?? defaultTeam, crawl: job.name }).catch(() => undefined);
        throw error;
      }),
    );
    // In the catalog as well: what follows it would resume the crawl.
    if (created.crawl.state === 'paused') await created.crawl.pause();
    return created;
  }

  /** What another coordinator has deleted goes on here for a moment, and its name is free once it has ended. */
  async function endDeleted(name: string, catalog: Catalog): Promise<void> {
    const there = busy.has(name) ? await open(name) : undefined;
    if (there && (await catalog.find(name))?.nonce !== nonces.get(name))
      await there.ended.catch(() => undefined);
  }

  /** One crawl of a name at a time. */
  async function reserved(name: string, work: () => Promise<OpenCrawl>): Promise<OpenCrawl> {
    if (stopped) throw new WebfarerError('usage', 'the coordinator has stopped');
    if (busy.has(name))
      throw new WebfarerError('usage', `a crawl named ${name} runs already`, {
        next: 'Give the new one another name.',
      });
    const opened = work();
    busy.set(name, opened);
    return await opened.catch((error: unknown) => {
      busy.delete(name);
      throw error;
    });
  }

  async function begin(
    asked: CreateOptions,
    { job: described, host, wanted }: { job: Job; host: CrawlHost; wanted: CrawlParts['wanted'] },
  ): Promise<OpenCrawl> {
    const { name } = described;
    const at = resolve(asked.folder ?? ownCrawls.folderOf(name));
    if (isOwn(at, name)) await ownCrawls.clear(name);
    const known = async () => (joined ? await joined.frontier.catalog.find(name) : await readManifest(at));
    const own = { input: asked.input, job: described };
    const whole = await withItsPolicy(own, policies, async () => (await known())?.job);
    // All crawls of a coordinator are kept in its store, so that one host is asked by one of them at a time.
    const job = options.store ? { ...whole.job, store: options.store } : whole.job;
    const isNew = async () => asked.fresh === true || !(await known());
    const { team = defaultTeam, seeds } = job;
    await teams.claim({ team, crawl: name, seeds, isNew, wasOpen: asked.fromCatalog === true });
    const { crawl, resumed } = await beginCrawl({
      asked: { ...asked, input: whole.input },
      job,
      folder: at,
      host,
      wanted,
      openDatabase: (path) =>
        openSqliteFrontier({
          path,
          clock,
          gatherMs: listening?.servesOthers ? GATHER_MS : 0,
          ...ledgerFor(at, name),
          ...options.sqlite,
        }),
      async enter(manifest) {
        // A folder that its user chose is in no catalog, but for that of the coordinator itself.
        if (!joined && !isOwn(at, name) && !(listening && at === folder)) return noEntry;
        const { fresh = false, tags = [], fromCatalog = false } = asked;
        const entry = await ownCrawls.enter(manifest, { at, fresh, tags, fromCatalog });
        nonces.set(name, entry.nonce);
        failures.clear(entry.nonce);
        const inForce = fromCatalog ? { job: jobInCatalog(manifest.job) } : entry;
        return crawlEntry(ownCrawls.catalog(), entry, inForce);
      },
      async retire(over, signal) {
        // A coordinator that stays has other crawls soon.
        if (busy.size === 1 && (!isStarted || stopped)) await listening?.retire(over, signal);
      },
      announce: async (end, run) => await listening?.ended(end, run ?? end.id),
      resumed: () => void keeper.look(name).catch(() => undefined),
      closed: () => busy.delete(name),
    });
    crawls.set(name, crawl);
    await quotas.look(crawl);
    listening?.serving();
    void crawl.ended.then(
      ({ state, balance: { done: pages }, snapshot: { bytes } }) => {
        void quotas.look(crawl, { pages, bytes });
        ended(crawl, { isStopped: state === 'stopped' });
      },
      (error: unknown) => {
        if (isStarted) failures.add({ id: crawl.id, name, nonce: nonces.get(name) ?? '' }, error);
        ended(crawl, { isStopped: false });
      },
    );
    // What is wanted of it from now on is not overwritten by its beginning.
    if (wanted !== 'running') await crawl.begun;
    return { crawl, ...(resumed ? { resumed } : {}) };
  }

  /** Of the crawls that have ended only the latest are kept in memory. */
  function ended(crawl: RunningCrawl, { isStopped }: { isStopped: boolean }): void {
    const over = [...crawls.keys()].filter((name) => !busy.has(name));
    for (const name of over.slice(0, -MOST_ENDED)) drop(name);
    // Another process stopped it, and perhaps an operator has resumed it since.
    if (isStopped && !crawl.left) void keeper.look(crawl.name).catch(() => undefined);
  }

  /** The crawl of this name that is open here, once it is; not one that is about to end. */
  async function open(name: string): Promise<RunningCrawl | undefined> {
    for (;;) {
      const crawl = await busy.get(name)?.then(
        (created) => created.crawl,
        () => undefined,
      );
      if (!busy.has(name)) return undefined;
      if (crawl && !crawl.ending) return crawl;
      await crawl?.ended.catch(() => undefined);
    }
  }

  function listing(entry: CatalogEntry): CrawlListing {
    const isHere = busy.has(entry.name) && nonces.get(entry.name) === entry.nonce;
    const isShown = isOpen(entry.wanted) || entry.wanted === 'deleted';
    const failure = isShown ? failures.of(entry.nonce) : undefined;
    return listingOf(entry, isHere ? crawls.get(entry.name) : undefined, failure);
  }

  async function close(how: { now?: boolean }): Promise<void> {
    unfollow();
    await quotas.stop();
    await retirer.stop();
    await keeper.stop();
    const hurry = new AbortController();
    if (how.now) hurry.abort();
    // The last crawl to end hands its workers over; without one nobody else would.
    if (isStarted && busy.size === 0) await listening?.retire(false, hurry.signal);
    await Promise.all(Array.from(crawls.values(), (crawl) => crawl.leave(how)));
    await server.stop(router.isOver() ? 'every crawl is over' : 'it ends');
    await listening?.closing();
    await ownCrawls.stop();
    await registryWatch.stop();
    await orders.stop();
    await registry.close();
    await joined?.frontier.close();
    ownLedger.close();
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
    async start() {
      isStarted = true;
      keeper.start();
      await keeper.missed();
      await keeper.settled();
      if (standing) retirer.start();
    },
    create,
    crawls: () => [...crawls.values()],
    crawl: (name) => crawls.get(name),
    ...byName,
    delete: (name) => ownCrawls.delete(name),
    connect: (worker) => pool.connect(worker),
    workerPaused: (worker: WorkerId, pause) => pool.paused(worker, pause),
    workerGone,
    fail,
    faulty,
    failure: failure.promise,
    async stop(how = {}) {
      // A second call may hurry the first.
      if (stopped && how.now) for (const crawl of crawls.values()) void crawl.leave(how);
      stopped ??= close(how);
      await stopped;
    },
    router,
    pool,
    rates,
    server,
    joined,
    consumers,
    catalog: () => ownCrawls.catalog(),
    undeleted: () => ownCrawls.stuck(),
    durability: options.store?.durability ?? 'strict',
    listing,
    folderOf: (name) => crawls.get(name)?.folder ?? ownCrawls.folderOf(name),
    host: options.host ?? headless,
    takeUp: openEntry,
    running: () =>
      Array.from(crawls.values(), ({ id: crawl, state, hostsQueued }) => ({ id: crawl, state, hostsQueued })),
  };
}
