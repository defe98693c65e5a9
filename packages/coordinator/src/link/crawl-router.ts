import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseAnswer,
  type LeaseId,
  type LeaseRef,
  type LeaseReport,
  type LeaseRequest,
  type RenewAnswer,
  type ReportAnswer,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { createMeter, type Meter } from './meter.ts';
import type { BodyIntake } from './bodies.ts';
import { createFairTurns } from './fair-turns.ts';
import { untouched } from './requests.ts';

/** A crawl that this coordinator hands out. */
export interface ServedCrawl {
  about: () => LinkCrawl;
  link: CoordinatorLink;
  hostsQueued: () => Promise<number>;
  /** Kept in a store: others serve crawls of it that this coordinator may never have heard of. */
  shared: boolean;
  /** Where bodies of it are kept here. */
  bodies: BodyIntake;
  /** Where it is kept: several crawls may be in one place. */
  place: LeasePlace;
}

/** What holds the leases of one crawl, or of all crawls of a store. */
export interface LeasePlace {
  /** The worker's old process is dead: nobody will come back with its leases. */
  releaseLeases(worker: WorkerId): Promise<unknown>;
  /** What it was granted, as far as that is known at once. */
  grantedTo(worker: WorkerId): Promise<LeaseRef[]>;
}

/** The place of a crawl behind the link. */
export interface ServedPlace {
  /** Grants leases from now on. */
  start(): void;
  /** No more leases; what is held is still reported. */
  rest(): void;
  /** Leases of this crawl that are out, by who has them. */
  held(): ReadonlyMap<LeaseId, WorkerId | undefined>;
  /** Answers nothing more; resolves when the last call has been answered. */
  close(): Promise<void>;
}

/** What a worker has brought: outcomes in all, and a second lately. */
export interface WorkerRate {
  pages: number;
  meter: Meter;
}

/** The crawls of a coordinator behind one link: each call goes to the crawl it is about. */
export interface CrawlRouter {
  readonly link: CoordinatorLink;
  /** Those that are over stay in the list, so that workers can be told. */
  crawls(): LinkCrawl[];
  /** There were some, and none of them can continue. */
  isOver(): boolean;
  hostsQueued(): Promise<number>;
  /** `unwanted`: it is over. Throws where bodies of it cannot be kept here. */
  bodies(crawl: CrawlId): BodyIntake | 'unwanted';
  releaseLeases(worker: WorkerId): Promise<void>;
  /** What it was granted of crawls that are kept here alone. */
  grantedTo(worker: WorkerId): Promise<LeaseRef[]>;
  /** Outcomes that each worker brought since this process began. */
  rates(): ReadonlyMap<WorkerId, WorkerRate>;
  /** From now on reports are taken; leases are granted once it is started. */
  serve(crawl: ServedCrawl): ServedPlace;
  /** The crawl with this nonce was deleted: nobody is told of it any more, and what is reported about it is dropped. */
  forget(nonce: string): void;
}

interface Served extends ServedCrawl {
  key: CrawlId;
  team: string;
  state: 'open' | 'resting' | 'closed';
  held: Map<LeaseId, WorkerId | undefined>;
  calls: Set<Promise<unknown>>;
}

/** Crawls that are over and of which workers are still told. */
const MOST_OVER = 50;

/** Parts are fractions: what is too little to be more than a rounding error must not become a host. */
const ROUNDING = 1e-9;

/** `weightOf`: how much of the workers a team deserves, beside others. */
export function createCrawlRouter(clock: Clock, weightOf: (team: string) => number = () => 1): CrawlRouter {
  const served = new Map<CrawlId, Served>();
  const rates = new Map<WorkerId, WorkerRate>();
  const turns = createFairTurns<CrawlId>(weightOf);

  const alive = () => [...served.values()].filter(({ state }) => state !== 'closed');
  const places = () => [...new Set(alive().map(({ place }) => place))];

  /** Calls are counted, so that a store is never closed under one. */
  async function call<T>(to: Served, work: (link: CoordinatorLink) => Promise<T>): Promise<T> {
    const answer = work(to.link);
    const seen = answer.catch(() => undefined);
    to.calls.add(seen);
    void seen.finally(() => to.calls.delete(seen));
    return await answer;
  }

  /**
   * A crawl that continues later must not be reported as over: reports about it are worth keeping until then. A report
   * about a crawl that is not served here goes to the store that its coordinator shares with this one.
   */
  function find(crawl: CrawlId): Served | undefined {
    const found = served.get(crawl) ?? alive().find(({ shared }) => shared);
    if (found?.state !== 'closed') return found;
    if (isOver(found.about())) return undefined;
    throw new WebfarerError('store-silent', `the crawl ${found.about().job.name} has been stopped here`);
  }

  function noteReport(to: Served, report: LeaseReport, answer: ReportAnswer): void {
    const worker = to.held.get(report.id);
    if (report.close || !answer.ok) to.held.delete(report.id);
    else if (!to.held.has(report.id)) to.held.set(report.id, undefined);
    if (worker === undefined || !answer.ok) return;
    const rate = rates.get(worker) ?? { pages: 0, meter: createMeter(clock) };
    rates.set(worker, rate);
    const nowMs = clock.now();
    for (const settled of report.settled) {
      if (settled.kind !== 'outcome') continue;
      rate.pages++;
      rate.meter.count(settled.record, nowMs);
    }
  }

  /** Asks one crawl for its part of a list. One that is not known is answered as if all were over. */
  async function ask<In extends { crawl: CrawlId }, Out>(
    crawl: CrawlId,
    part: In[],
    { otherwise, of }: Asking<In, Out>,
  ): Promise<Out[]> {
    const to = find(crawl);
    if (!to) return part.map(() => otherwise);
    return await of(to, part).catch((error: unknown) => {
      if (error instanceof WebfarerError && error.code === 'not-found') return part.map(() => otherwise);
      throw error;
    });
  }

  /** Asks each crawl for its part of a list and puts the answers back in order. */
  async function each<In extends { crawl: CrawlId }, Out>(
    all: In[],
    asking: Asking<In, Out>,
  ): Promise<Out[]> {
    const [first] = all;
    if (!first) return [];
    // Nearly always the list is about one crawl.
    if (all.every(({ crawl }) => crawl === first.crawl)) return await ask(first.crawl, all, asking);
    const answers = all.map(() => asking.otherwise);
    const parts = Map.groupBy(all.keys(), (i) => (all[i] as In).crawl);
    await Promise.all(
      [...parts].map(async ([crawl, indexes]) => {
        const part = indexes.map((i) => all[i] as In);
        const given = await ask(crawl, part, asking);
        for (const [n, i] of indexes.entries()) answers[i] = given[n] ?? asking.otherwise;
      }),
    );
    return answers;
  }

  /** What comes when the crawl gives nothing more goes back: its worker may have let go of the crawl already. */
  async function leaseFrom(to: Served, request: LeaseRequest): Promise<LeaseAnswer> {
    if (to.state !== 'open') return { leases: [], nextDueMs: null };
    const urlsPerHost = Math.min(request.urlsPerHost, to.about().urlsPerHost);
    return await call(to, async (at) => {
      const answer = await at.lease({ ...request, urlsPerHost });
      if (to.state === 'open' || answer.leases.length === 0) return answer;
      await at.report(answer.leases.map(untouched));
      return { leases: [], nextDueMs: null };
    });
  }

  const link: CoordinatorLink = {
    /** Each crawl is asked for its part first; what some do not need goes to those that have more. */
    async lease(request) {
      const answer: LeaseAnswer = { leases: [], nextDueMs: null };
      let open = turns.order(alive().filter(({ state }) => state === 'open'));
      while (open.length > 0 && answer.leases.length < request.hosts) {
        const more: Served[] = [];
        const shares = turns.shares(open);
        let rest = shares.reduce((sum, share) => sum + share, 0);
        for (const [i, to] of open.entries()) {
          const left = request.hosts - answer.leases.length;
          if (left <= 0) break;
          const share = shares[i] ?? 1;
          const hosts = Math.max(1, Math.ceil((left * share) / rest - ROUNDING));
          rest -= share;
          const { leases, nextDueMs } = await leaseFrom(to, { ...request, hosts }).catch((error: unknown) => {
            // What others have granted must reach its worker.
            if (answer.leases.length === 0) throw error;
            return { leases: [], nextDueMs: null };
          });
          for (const { id } of leases) to.held.set(id, request.worker);
          if (leases.length > 0) turns.granted(to, leases.length);
          if (leases.length === hosts) more.push(to);
          answer.leases.push(...leases);
          if (nextDueMs !== null) answer.nextDueMs = Math.min(nextDueMs, answer.nextDueMs ?? nextDueMs);
        }
        open = more;
      }
      return answer;
    },
    async leaseHost(request) {
      const to = find(request.crawl);
      if (!to || to.state === 'resting') return { granted: false, retryAfterMs: 1_000 };
      const answer = await call(to, (at) => at.leaseHost(request));
      if (answer.granted) to.held.set(answer.lease.id, request.worker);
      return answer;
    },
    async robots(origin) {
      for (const to of alive()) {
        const copy = await call(to, (at) => at.robots(origin));
        if (copy) return copy;
      }
      return undefined;
    },
    async previous(question) {
      const to = find(question.crawl);
      return to && (await call(to, (at) => at.previous(question)));
    },
    renew: (leases) =>
      each<LeaseRef, RenewAnswer>(leases, {
        otherwise: { ok: false },
        async of(to, part) {
          const answers = await call(to, (at) => at.renew(part));
          for (const [i, { id }] of part.entries()) if (answers[i]?.ok === false) to.held.delete(id);
          return answers;
        },
      }),
    report: (reports) =>
      each<LeaseReport, ReportAnswer>(reports, {
        otherwise: { ok: false },
        async of(to, part) {
          const answers = await call(to, (at) => at.report(part));
          for (const [i, report] of part.entries()) noteReport(to, report, answers[i] ?? { ok: false });
          return answers;
        },
      }),
  };

  /** Workers are told of the latest crawls that are over, not of all that ever were. */
  function forgetOldest(): void {
    const over = [...served].filter(([, { state, about }]) => state === 'closed' && isOver(about()));
    for (const [key] of over.slice(0, -MOST_OVER)) served.delete(key);
  }

  const crawls = () => [...served.values()].map(({ about }) => about());

  return {
    link,
    crawls,
    isOver: () => served.size > 0 && crawls().every(isOver),
    bodies(crawl) {
      const to = find(crawl);
      if (!to) return 'unwanted';
      if (to.key === crawl) return to.bodies;
      throw new WebfarerError('store-silent', `the crawl ${crawl} is served by other coordinators`);
    },
    async hostsQueued() {
      const all = await Promise.all(alive().map((to) => call(to, () => to.hostsQueued())));
      return all.reduce((sum, hosts) => sum + hosts, 0);
    },
    async releaseLeases(worker) {
      await Promise.all(places().map((place) => place.releaseLeases(worker)));
      // Nobody is coming back with these.
      for (const { held } of alive()) for (const [id, holder] of held) if (holder === worker) held.delete(id);
    },
    async grantedTo(worker) {
      return (await Promise.all(places().map((place) => place.grantedTo(worker)))).flat();
    },
    rates: () => rates,
    forget(nonce) {
      for (const [key, { state, about }] of served)
        if (state === 'closed' && about().nonce === nonce) served.delete(key);
    },
    serve(crawl) {
      const { id: key, job } = crawl.about();
      const team = job.team ?? defaultTeam;
      const to: Served = { ...crawl, key, team, state: 'resting', held: new Map(), calls: new Set() };
      served.set(key, to);
      return {
        start: () => {
          to.state = 'open';
        },
        rest: () => {
          to.state = 'resting';
        },
        held: () => to.held,
        async close() {
          to.state = 'closed';
          turns.drop(to);
          while (to.calls.size > 0) await Promise.all(to.calls);
          forgetOldest();
        },
      };
    },
  };
}

interface Asking<In, Out> {
  /** For crawls that are not known here, or over. */
  otherwise: Out;
  of: (to: Served, part: In[]) => Promise<Out[]>;
}

/** One that was stopped continues when its coordinator is back. */
function isOver({ state }: LinkCrawl): boolean {
  return state === 'finished' || state === 'limited';
}
