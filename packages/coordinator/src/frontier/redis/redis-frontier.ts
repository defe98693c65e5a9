import type { CrawlId, DatedClock, LeaseRef, RenewAnswer } from '@webfarer/protocol';
import { droppedReasons } from '@webfarer/protocol/crawl';
import type { Frontier } from '../frontier.ts';
import { createBuckets } from './context/buckets.ts';
import type { EarlierTokens } from '../../tokens/earlier-tokens.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { openRedisCatalog } from '../../catalog/redis-catalog.ts';
import { redisTokens } from '../../tokens/redis-tokens.ts';
import type { CountHistory } from '../../history/count-history.ts';
import type { HostHistory } from '../../history/host-history.ts';
import { redisHistory } from '../../history/redis-history.ts';
import { redisHostHistory } from '../../history/redis-host-history.ts';
import { redisRegistry } from '../../registry/redis-registry.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Context } from './context/context.ts';
import { operationId } from '../../redis/client/operation.ts';
import { type DeletedCrawl, eraseCrawls } from './erasing.ts';
import { finish, limit, openCrawl, releaseAll, reopenFinished, setState } from './crawl-life.ts';
import { crawlRegistry, epochOf, type RegistryOptions } from './context/crawl-registry.ts';
import type { CrawlNeeds } from './context/kept-crawls.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { type BacklogOptions, createBacklog } from './draining/backlog.ts';
import { groupReader } from './draining/group-records.ts';
import { keptResults } from './draining/kept-results.ts';
import type { ResultBacklog } from './draining/result-backlog.ts';
import type { GroupUpkeep } from '../group-upkeep.ts';
import { settledListeners } from '../../results/follow.ts';
import type { Results } from '../../results/results.ts';
import { dutyClaims } from './claims.ts';
import { dueInMs, leaseHosts, leaseOneHost } from './granting.ts';
import { groupRunner, type Outlook } from '../../redis/group-runner.ts';
import { noGroups } from '../../redis/crawl-groups.ts';
import { createHints } from '../../redis/hints.ts';
import { placeFinder } from '../../redis/keys.ts';
import { createLedger } from './context/ledger.ts';
import { offerOthers } from './barring.ts';
import { type CrawlFolders, crawlFolders } from './forget/crawl-folders.ts';
import { forgettingPort } from './forget/forgetting-port.ts';
import { balance, hostSums, look, overview, robotsCopy, totals, waiting } from './reading.ts';
import { redisResults } from './redis-results.ts';
import { reportAll } from './reporting.ts';
import { dropStep } from './dropping.ts';
import { retryStep } from './retrying.ts';
import { searchUrls } from './searching.ts';
import { scripts } from '../../redis/client/scripts.ts';
import { createShards, dropLate } from '../../redis/shards.ts';
import type { RedisStore } from '../../redis/store.ts';
import { lookAfter, sweeper } from './sweeping.ts';

export interface RedisFrontierOptions {
  store: RedisStore;
  clock: DatedClock;
  /** For tests: `given`, groups take the clock's time as it is; `blind`, they believe the store's clock. */
  time?: 'store' | 'given' | 'blind';
  /** Pause between two sweeps of this process; in between it only looks what others have brought. */
  sweepEveryMs?: number;
  /** How many results stay in the store, and where the others go; absent: all stay. */
  backlog?: BacklogOptions;
  /** More folders in which drained results are looked for. */
  segments?: readonly string[];
  /** For tests of a store with few groups. */
  groups?: number;
}

export interface RedisFrontier extends Frontier, GroupUpkeep, ResultBacklog {
  results: Results;
  /** Several processes may share the store. */
  owner: undefined;
  catalog: Catalog;
  registry: Registry;
  history: CountHistory;
  hostHistory: HostHistory;
  earlierTokens: EarlierTokens;
  /**
   * Erases everything that the store keeps of deleted crawls, whoever still works on them: what is reported later is
   * answered as too late. May be cut off and done again. Answers how many keys are gone.
   */
  erase(crawls: readonly DeletedCrawl[]): Promise<number>;
  /** What processes keep of crawls beside the store. */
  folders: CrawlFolders;
  /**
   * Told when something of a crawl may be due sooner than `dueInMs` said, and when others have changed its state or settings.
   * Answers how to stop listening.
   */
  onChange(id: CrawlId, listener: () => void): () => void;
  /** Which crawl has this id now. */
  nonceOf(id: CrawlId): Promise<string | undefined>;
}

/** The frontier on Redis or Valkey, one server or a cluster. Any number of processes may share one. */
export async function openRedisFrontier(options: RedisFrontierOptions): Promise<RedisFrontier> {
  const { store, clock, time = 'store' } = options;
  const member = operationId();
  const nowMs = time === 'given' ? () => clock.now() : undefined;
  const changes = changeListeners();
  const groupCount = options.groups;
  const needs = needsOf(changes, () => context);
  const crawls = await crawlRegistry(store, { ...needs, groups: groupCount, clock, nowMs });
  const catalog = await openRedisCatalog(store, { nowMs: clock.wall() });
  const sooner = (c: string) => changes.tell(crawls.byNumber(c)?.id);
  const hints = createHints((c) => crawls.byNumber(c)?.groups ?? noGroups, sooner);
  const ledger = createLedger({ store, clock, nowMs, find: crawls.byNumber });
  const reopened = new Set<string>();
  const served = new Set<string>();
  const settled = settledListeners();

  function seen(outlook: Outlook): void {
    hints.learn(outlook);
    for (const { crawl, used, reopened: again } of outlook.crawls) {
      if (used !== '') ledger.note(crawl, outlook.group, used);
      if (again) reopened.add(crawl);
    }
  }

  const groups = groupRunner({
    store,
    clock,
    time,
    longestHoldMs: () => Math.max(0, ...crawls.active().map(holdMs)),
    seen,
    doubtful: hints.doubt,
  });
  const shards = createShards({ store, clock, runner: groups, groups: crawls.groups });
  const folders = segmentFolders(options);
  const context: Context = {
    member,
    store,
    clock,
    crawls,
    groups,
    shards,
    hints,
    ledger,
    buckets: createBuckets(),
    records: groupReader({ store, groups, folders }),
    placeOf: placeFinder(crawls.groups, crawls.siteOf),
    reopened,
    served,
    asking: new Set(),
    offerRounds: new Map(),
    deliveryRounds: { waiting: [], going: false },
    movesSoughtAtMs: Number.NEGATIVE_INFINITY,
    opened: new Set(),
    enteredIn: undefined,
    saidAliveAtMs: Number.NEGATIVE_INFINITY,
    folders,
    hungry: false,
    backlog: undefined,
    mine: undefined,
    minded: 0,
    newsUntilMs: 0,
    stirredAtMs: clock.now(),
  };
  const backlog = options.backlog && createBacklog(context, options.backlog);
  context.backlog = backlog;

  const sweeping = sweeper(context, options.sweepEveryMs ?? 0);

  /** What a transition left to be told to the whole store. */
  async function change<T>(work: Promise<T>): Promise<T> {
    const answer = await work;
    await ledger.settle();
    if (reopened.size > 0) await reopenFinished(context);
    return answer;
  }

  /** The same for what may have set others to work: the upkeep takes no rest for a while. */
  async function stir<T>(work: Promise<T>): Promise<T> {
    const answer = await change(work);
    context.stirredAtMs = clock.now();
    return answer;
  }

  const histories = { store, look: crawls.look, nowMs };
  const hostHistory = redisHostHistory(histories);

  return {
    openCrawl: (crawl) => stir(openCrawl(context, crawl)),
    setState: async (id, state, wish) => await stir(setState(context, await crawls.get(id), { state, wish })),
    async offer(id, offers) {
      const crawl = await crawls.get(id);
      return await stir(offerOthers(context, crawl, offers));
    },
    async seed(id, offers, { last }) {
      const crawl = await crawls.get(id);
      const verdicts = await stir(offerOthers(context, crawl, offers));
      // The offers are durable by now: a crash in between leaves the crawl unseeded, never short of a seed.
      if (last) await crawls.setSeeded(crawl);
      return verdicts;
    },
    lease: (request) => change(leaseHosts(context, request)),
    dueInMs: (id) => dueInMs(context, id),
    async leaseHost(request) {
      const isBarred = (await crawls.get(request.crawl)).barred?.host(request.host) ?? false;
      return isBarred
        ? { granted: false, refused: droppedReasons.forgotten }
        : await stir(leaseOneHost(context, request));
    },
    renew: (leases) => change(renew(context, leases)),
    async report(reports) {
      const answers = await stir(reportAll(context, reports));
      if (settled.areThere)
        for (const { crawl, host } of reports) settled.tell({ crawl, group: context.placeOf(host).group });
      return answers;
    },
    sweep: () => change(sweeping.step()),
    releaseAll: (worker) => stir(releaseAll(context, worker)),
    finish: (id) => change(finish(context, id)),
    limit: (id) => change(limit(context, id)),
    retry: (id, step) => stir(retryStep(context, id, step)),
    ...forgettingPort(context, hostHistory, stir),
    folders: crawlFolders({ store, get: crawls.get }),
    async drop(id, step, reason) {
      const answer = await stir(dropStep(context, id, { ...step, reason }));
      if (answer.moved > 0) settled.tell('anywhere');
      return answer;
    },
    epoch(id) {
      const crawl = crawls.find(id);
      return crawl && epochOf(store, crawl);
    },
    onChange: changes.add,
    nonceOf: async (id) => (await crawls.look(id))?.nonce,
    state: async (id) => (await crawls.read(await crawls.get(id))).state,
    balance: (id) => balance(context, id),
    totals: (id) => totals(context, id),
    overview: (id) => overview(context, id),
    waiting: (id, limit) => waiting(context, id, limit),
    hostSums: (id, hosts) => hostSums(context, id, hosts),
    urls: (id, search) => searchUrls(context, id, search),
    look: (id, url) => look(context, id, url),
    robots: (origin) => robotsCopy(context, origin),
    keepTime: async (id, ran) => await crawls.keepTime(await crawls.get(id), ran),
    async close() {
      await backlog?.stop();
      await store.close();
    },
    groups: crawls.groups,
    lookAfter: (mine) => lookAfter(context, mine),
    expectNews(forMs) {
      context.newsUntilMs = clock.now() + forMs;
    },
    sweepWhole: () => change(sweeping.whole()),
    ...dutyClaims(store, member),
    owner: undefined,
    results: redisResults(context, settled.add),
    catalog,
    registry: redisRegistry(store),
    history: redisHistory(histories),
    hostHistory,
    async erase(deleted) {
      const erased = await eraseCrawls({ store, clock, time, onKeys: () => {} }, deleted);
      await crawls.refresh();
      return erased;
    },
    earlierTokens: redisTokens(store),
    kept: (id) => keptResults(context, id),
    drain: async () => (await backlog?.drain()) ?? 0,
    onBacklog: (listener) => backlog?.onChange(listener) ?? (() => undefined),
  };
}

/** Folders in which drained results are looked for. */
function segmentFolders({ backlog, segments = [] }: RedisFrontierOptions): string[] {
  return [...(backlog?.drain ? [backlog.drain.folder] : []), ...segments];
}

/** What of a finished crawl is needed here, and what follows from changes of the list of crawls. */
function needsOf(
  changes: ChangeListeners,
  context: () => Context,
): Pick<RegistryOptions, keyof CrawlNeeds | 'changed'> {
  return {
    changed: changes.tell,
    isNeeded({ id, c }, sinceMs) {
      const { backlog, ledger, opened, reopened } = context();
      const mayBeLong = opened.has(c) && (backlog?.mayBeLong(c, sinceMs) ?? false);
      return changes.isFollowed(id) || mayBeLong || ledger.owes(c) || reopened.has(c);
    },
    dropped(c) {
      const { buckets, opened } = context();
      opened.delete(c);
      buckets.forget(c);
    },
  };
}

interface ChangeListeners {
  add: RedisFrontier['onChange'];
  /** A crawl of this process: somebody listens. */
  isFollowed(id: CrawlId): boolean;
  tell(id: CrawlId | undefined): void;
}

/** Listeners by the crawl that they are about. */
function changeListeners(): ChangeListeners {
  const byCrawl = new Map<CrawlId | undefined, Set<() => void>>();
  return {
    add(id, listener) {
      const listeners = byCrawl.get(id) ?? new Set();
      byCrawl.set(id, listeners.add(listener));
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) byCrawl.delete(id);
      };
    },
    isFollowed: (id) => byCrawl.has(id),
    tell(id) {
      for (const listener of byCrawl.get(id) ?? []) listener();
    },
  };
}

/** How long a host may be held. */
function holdMs({ settings }: StoredCrawl): number {
  return settings.leaseTtlMs + settings.maxFetchMs + settings.gapMs;
}

async function renew(context: Context, leases: LeaseRef[]): Promise<RenewAnswer[]> {
  const crawls = await Promise.all(leases.map(({ crawl }) => context.crawls.look(crawl)));
  if (crawls.includes(undefined)) {
    const answers = await renew(
      context,
      leases.filter((_, i) => crawls[i]),
    );
    return crawls.map((crawl) => (crawl && answers.shift()) ?? { ok: false });
  }
  const answers = await context.shards.run(
    leases.map(({ host, fence }, i) => ({
      group: context.placeOf(host).group,
      script: scripts.renew,
      args: [crawls[i]?.c ?? '', host, fence],
    })),
    { late: dropLate },
  );
  return answers.map((answer) => {
    // Not known yet, so nothing is promised.
    if (answer === undefined) return { ok: true, ttlMs: 0 };
    return answer.kind === 'ok' ? { ok: true, ttlMs: Number(answer.values[0]) } : { ok: false };
  });
}
