import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseAnswer,
  type LeaseRef,
  type LeaseReport,
  type LeaseRequest,
  type RenewAnswer,
  type ReportAnswer,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import { defaultTeam } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import type { BodyIntake } from './bodies.ts';
import { createFairTurns } from './fair-turns.ts';
import { untouched } from './requests.ts';

/** A crawl that this coordinator hands out. */
export interface ServedCrawl {
  about: () => LinkCrawl;
  link: CoordinatorLink;
  /** In how many ms it may have something due, as far as is known at once; 0: it must be asked. */
  dueInMs: () => number;
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
  /** It may have something due sooner than it said. */
  stir(): void;
  /** No more leases; what is held is still reported. */
  rest(): void;
  /** No other crawl is served here. */
  isAlone(): boolean;
  /** Answers nothing more; resolves when the last call has been answered. */
  close(): Promise<void>;
}

/** The crawls of a coordinator behind one link: each call goes to the crawl it is about. */
export interface CrawlRouter {
  readonly link: CoordinatorLink;
  /** Those that are served, then the latest that ended, so that workers can be told how. */
  crawls(): LinkCrawl[];
  /** One of them. */
  crawl(id: CrawlId): LinkCrawl | undefined;
  /** There were some, and none of them can continue. */
  isOver(): boolean;
  hostsQueued(): Promise<number>;
  /** `unwanted`: it is over. `elsewhere`: it may be one of the same store. Throws where it was stopped here. */
  bodies(crawl: CrawlId): BodyIntake | 'unwanted' | 'elsewhere';
  releaseLeases(worker: WorkerId): Promise<void>;
  /** What it was granted of crawls that are kept here alone. */
  grantedTo(worker: WorkerId): Promise<LeaseRef[]>;
  /** From now on reports are taken; leases are granted once it is started. */
  serve(crawl: ServedCrawl): ServedPlace;
  /** The crawl with this nonce was deleted: nobody is told of it any more, and what is reported about it is dropped. */
  forget(nonce: string): void;
}

interface Served extends ServedCrawl {
  key: CrawlId;
  team: string;
  state: 'open' | 'resting' | 'closed';
  calls: Set<Promise<unknown>>;
}

/**
 * A crawl that has nothing due for so long is not asked about it again until then, or until it is stirred. It is asked once a minute all the
 * same: clocks stand still while a machine is suspended, and the store's does not.
 */
const FAR_MS = 5_000;
const MOST_FAR_MS = 60_000;

/** Crawls that have ended and of which workers are still told. */
const MOST_ENDED = 50;

/** Parts are fractions: what is too little to be more than a rounding error must not become a host. */
const ROUNDING = 1e-9;

export interface CrawlRouterOptions {
  clock: Pick<Clock, 'now'>;
  /** How much of the workers a team deserves, beside others. */
  weightOf: (team: string) => number;
  /** The coordinator remains when a crawl is stopped: its workers have others to work on. */
  stays: () => boolean;
}

export function createCrawlRouter({ clock, weightOf, stays }: CrawlRouterOptions): CrawlRouter {
  const served = new Map<CrawlId, Served>();
  const outlook = createOutlook(clock);
  /** The latest that ended, as they are now: a crawl is called stopped a moment after it is closed. */
  const ended = new Map<CrawlId, Served>();
  const turns = createFairTurns<CrawlId>(weightOf);

  const alive = () => [...served.values()];
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
   * A crawl that continues with the next coordinator must not be reported as over: reports about it are worth keeping until
   * then. Where this one stays, a worker must not wait for a crawl that an operator stopped: what is late is fetched
   * again. A report about a crawl that is not served here goes to the store that its coordinator shares with this one.
   */
  function find(crawl: CrawlId): Served | undefined {
    const found = served.get(crawl);
    if (found) return found;
    const before = ended.get(crawl)?.about();
    if (!before) return alive().find(({ shared }) => shared);
    if (isOver(before) || stays()) return undefined;
    throw new WebfarerError('store-silent', `the crawl ${before.job.name} has been stopped here`);
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
      let open = turns.order(mayGive(outlook, request, { answer, rest: turns.rest }));
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
          turns.granted(to, leases.length, leases.length < hosts);
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
      return await call(to, (at) => at.leaseHost(request));
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
        of: (to, part) => call(to, (at) => at.renew(part)),
      }),
    report: (reports) =>
      each<LeaseReport, ReportAnswer>(reports, {
        otherwise: { ok: false },
        of: (to, part) => call(to, (at) => at.report(part)),
      }),
  };

  /** Workers are told of the latest crawls that ended, not of all that ever were. */
  function end(crawl: Served): void {
    served.delete(crawl.key);
    outlook.drop(crawl);
    ended.set(crawl.key, crawl);
    const [oldest] = ended.keys();
    if (oldest !== undefined && ended.size > MOST_ENDED) ended.delete(oldest);
  }

  return {
    link,
    ...toldOf(served, ended),
    bodies(crawl) {
      const to = find(crawl);
      if (!to) return 'unwanted';
      return to.key === crawl ? to.bodies : 'elsewhere';
    },
    async hostsQueued() {
      const all = await Promise.all(alive().map((to) => call(to, () => to.hostsQueued())));
      return all.reduce((sum, hosts) => sum + hosts, 0);
    },
    async releaseLeases(worker) {
      await Promise.all(places().map((place) => place.releaseLeases(worker)));
    },
    async grantedTo(worker) {
      return (await Promise.all(places().map((place) => place.grantedTo(worker)))).flat();
    },
    forget(nonce) {
      for (const [id, { about }] of ended) if (about().nonce === nonce) ended.delete(id);
    },
    serve(crawl) {
      const { id: key, job } = crawl.about();
      const team = job.team ?? defaultTeam;
      const to: Served = { ...crawl, key, team, state: 'resting', calls: new Set() };
      ended.delete(key);
      const before = served.get(key);
      if (before) outlook.drop(before);
      served.set(key, to);
      outlook.near.add(to);
      return {
        start: () => {
          to.state = 'open';
        },
        stir: () => outlook.stir(to),
        rest: () => {
          to.state = 'resting';
          turns.drop(to);
        },
        isAlone: () => served.size === 0 || (served.size === 1 && served.has(key)),
        async close() {
          to.state = 'closed';
          turns.drop(to);
          if (served.get(key) === to) end(to);
          while (to.calls.size > 0) await Promise.all(to.calls);
        },
      };
    },
  };
}

/** What workers can be told. Nothing is opened of a crawl that has ended, so its seeds are left out: there may be very many. */
function toldOf(
  served: ReadonlyMap<CrawlId, Served>,
  ended: ReadonlyMap<CrawlId, Served>,
): Pick<CrawlRouter, 'crawls' | 'crawl' | 'isOver'> {
  const now = ({ about }: Served): LinkCrawl => about();
  const afterEnd = ({ about }: Served): LinkCrawl => ({ ...about(), seeds: [] });
  return {
    crawls: () => [...Array.from(served.values(), now), ...Array.from(ended.values(), afterEnd)],
    crawl(id) {
      const over = ended.get(id);
      return served.get(id)?.about() ?? (over && afterEnd(over));
    },
    isOver() {
      for (const { about } of served.values()) if (!isOver(about())) return false;
      for (const { about } of ended.values()) if (!isOver(about())) return false;
      return served.size + ended.size > 0;
    },
  };
}

/** Which crawls may have something due, so that a request costs nothing for those that wait for long. */
interface Outlook {
  /** To be asked in how many ms they have something due. */
  readonly near: Set<Served>;
  /** It has nothing due for so long: it leaves `near` until then. */
  wait(crawl: Served, forMs: number): void;
  stir(crawl: Served): void;
  drop(crawl: Served): void;
  /** Brings those near that may have something due by now. Answers in how many ms the next of the others has. */
  pass(): number;
}

function createOutlook(clock: Pick<Clock, 'now'>): Outlook {
  const near = new Set<Served>();
  /** When they are due. */
  const far = new Map<Served, number>();
  let soonestMs = Number.POSITIVE_INFINITY;
  /** It waits no more, if it did. */
  function leave(crawl: Served): boolean {
    const waited = far.delete(crawl);
    if (far.size === 0) soonestMs = Number.POSITIVE_INFINITY;
    return waited;
  }
  return {
    near,
    wait(crawl, forMs) {
      near.delete(crawl);
      const dueAtMs = clock.now() + forMs;
      far.set(crawl, dueAtMs);
      soonestMs = Math.min(soonestMs, dueAtMs);
    },
    stir(crawl) {
      if (leave(crawl)) near.add(crawl);
    },
    drop(crawl) {
      near.delete(crawl);
      leave(crawl);
    },
    pass() {
      const now = clock.now();
      if (now < soonestMs) return soonestMs - now;
      soonestMs = Number.POSITIVE_INFINITY;
      for (const [crawl, dueAtMs] of far) {
        if (dueAtMs > now) {
          soonestMs = Math.min(soonestMs, dueAtMs);
          continue;
        }
        far.delete(crawl);
        near.add(crawl);
      }
      return soonestMs - now;
    },
  };
}

/** Those that must be asked. The others are known to have nothing to give; until when, the answer says. */
function mayGive(
  outlook: Outlook,
  { without }: LeaseRequest,
  { answer, rest }: { answer: LeaseAnswer; rest: (crawl: Served) => void },
): Served[] {
  const due = (inMs: number) => {
    if (inMs < Number.POSITIVE_INFINITY) answer.nextDueMs = Math.min(inMs, answer.nextDueMs ?? inMs);
  };
  due(outlook.pass());
  return [...outlook.near].filter((to) => {
    if (to.state !== 'open' || without?.includes(to.key)) return false;
    const dueInMs = to.dueInMs();
    if (dueInMs <= 0) return true;
    rest(to);
    due(dueInMs);
    if (dueInMs >= FAR_MS) outlook.wait(to, Math.min(dueInMs, MOST_FAR_MS));
    return false;
  });
}

interface Asking<In, Out> {
  /** For crawls that are not known here, or over. */
  otherwise: Out;
  of: (to: Served, part: In[]) => Promise<Out[]>;
}
