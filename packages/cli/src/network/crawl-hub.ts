import { type BodyIntake, createMeter, type Meter } from '@webfarer/coordinator';
import { allOver, isOver } from '@webfarer/protocol/crawl';
import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseId,
  type LeaseRef,
  type LeaseReport,
  type RenewAnswer,
  type ReportAnswer,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';

/** A crawl that this coordinator hands out. */
export interface ServedCrawl {
  about: () => LinkCrawl;
  link: CoordinatorLink;
  hostsQueued: () => Promise<number>;
  /** Kept in a store: others serve crawls of it that this one may never have heard of. */
  shared: boolean;
  /** Where bodies of it are kept here. */
  bodies: BodyIntake;
  /** The worker's old process is dead: nobody will come back with its leases. */
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
  grantedTo: (worker: WorkerId) => Promise<LeaseRef[]>;
}

export interface ServedSeat {
  start(): void;
  /** No more leases; what is held is still reported. */
  rest(): void;
  /** Leases of this crawl that are out, by who has them. */
  held(): Map<LeaseId, WorkerId | undefined>;
  /** Answers nothing more; resolves when the last call has been answered. */
  close(): Promise<void>;
}

/** What a worker has brought: outcomes in all, and a second lately. */
export interface WorkerRate {
  pages: number;
  meter: Meter;
}

/** The crawls of a coordinator behind one link: each call goes to the crawl it is about. */
export interface CrawlHub {
  readonly link: CoordinatorLink;
  /** Those that are over stay in the list, so that workers can be told. */
  crawls(): LinkCrawl[];
  /** There were some, and none of them goes on. */
  isOver(): boolean;
  hostsQueued(): Promise<number>;
  /** `unwanted`: it is over. Throws where bodies of it cannot be kept here. */
  bodies(crawl: CrawlId): BodyIntake | 'unwanted';
  releaseLeases(worker: WorkerId): Promise<unknown>;
  /** What it was granted of crawls that are kept here alone. */
  grantedTo(worker: WorkerId): Promise<LeaseRef[]>;
  /** Outcomes that each worker brought since this process began. */
  rates(): ReadonlyMap<WorkerId, WorkerRate>;
  /** From now on reports are taken; leases are given once it is started. */
  serve(crawl: ServedCrawl): ServedSeat;
}

interface Place extends ServedCrawl {
  state: 'open' | 'resting' | 'closed';
  held: Map<LeaseId, WorkerId | undefined>;
  calls: Set<Promise<unknown>>;
}

export function createCrawlHub(clock: Clock): CrawlHub {
  const places = new Map<CrawlId, Place>();
  const rates = new Map<WorkerId, WorkerRate>();
  let turn = 0;

  const alive = () => [...places.values()].filter(({ state }) => state !== 'closed');

  /** Calls are counted, so that a store is never closed under one. */
  async function call<T>(place: Place, work: (link: CoordinatorLink) => Promise<T>): Promise<T> {
    const answer = work(place.link);
    const seen = answer.catch(() => undefined);
    place.calls.add(seen);
    void seen.finally(() => place.calls.delete(seen));
    return await answer;
  }

  /**
   * A crawl that goes on later must not be told of as if it were over: its reports are worth keeping until then. Of one
   * that is not served here, what a worker brings from another coordinator goes to the store they share.
   */
  function open(crawl: CrawlId): Place | undefined {
    const place = places.get(crawl) ?? alive().find(({ shared }) => shared);
    if (place?.state !== 'closed') return place;
    if (isOver(place.about())) return undefined;
    throw new WebfarerError('store-silent', `the crawl ${place.about().job.name} has been stopped here`);
  }

  /** Each begins with another crawl, so that none stands behind the others for ever. */
  function inTurn(): Place[] {
    const ready = alive().filter(({ state }) => state === 'open');
    const first = ready.length === 0 ? 0 : turn++ % ready.length;
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  function noteReport(place: Place, report: LeaseReport, answer: ReportAnswer): void {
    const worker = place.held.get(report.id);
    if (report.close || !answer.ok) place.held.delete(report.id);
    else if (!place.held.has(report.id)) place.held.set(report.id, undefined);
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

  /** Asks each crawl for its part of a list and puts the answers back in order. */
  async function each<In extends { crawl: CrawlId }, Out>(
    all: In[],
    otherwise: Out,
    ask: (place: Place, part: In[]) => Promise<Out[]>,
  ): Promise<Out[]> {
    const answers = all.map(() => otherwise);
    const notThere = (error: unknown) => {
      if (error instanceof WebfarerError && error.code === 'not-found') return [];
      throw error;
    };
    const parts = Map.groupBy(all.keys(), (i) => (all[i] as In).crawl);
    await Promise.all(
      [...parts].map(async ([crawl, indexes]) => {
        const place = open(crawl);
        if (!place) return;
        const given = await ask(
          place,
          indexes.map((i) => all[i] as In),
        ).catch(notThere);
        for (const [n, i] of indexes.entries()) answers[i] = given[n] ?? otherwise;
      }),
    );
    return answers;
  }

  const link: CoordinatorLink = {
    async lease(request) {
      const answer: Awaited<ReturnType<CoordinatorLink['lease']>> = { leases: [], nextDueMs: null };
      for (const place of inTurn()) {
        const hosts = request.hosts - answer.leases.length;
        if (hosts <= 0) break;
        const urlsPerHost = Math.min(request.urlsPerHost, place.about().urlsPerHost);
        const asked = { ...request, hosts, urlsPerHost };
        const { leases, nextDueMs } = await call(place, (to) => to.lease(asked));
        for (const { id } of leases) place.held.set(id, request.worker);
        answer.leases.push(...leases);
        if (nextDueMs !== null) answer.nextDueMs = Math.min(nextDueMs, answer.nextDueMs ?? nextDueMs);
      }
      return answer;
    },
    async leaseHost(request) {
      const place = open(request.crawl);
      if (!place || place.state === 'resting') return { granted: false, retryAfterMs: 1_000 };
      const answer = await call(place, (to) => to.leaseHost(request));
      if (answer.granted) place.held.set(answer.lease.id, request.worker);
      return answer;
    },
    async robots(origin) {
      for (const place of alive()) {
        const copy = await call(place, (to) => to.robots(origin));
        if (copy) return copy;
      }
      return undefined;
    },
    async previous(question) {
      const place = open(question.crawl);
      return place && (await call(place, (to) => to.previous(question)));
    },
    renew: (leases) =>
      each<LeaseRef, RenewAnswer>(leases, { ok: false }, async (place, part) => {
        const answers = await call(place, (to) => to.renew(part));
        for (const [i, { id }] of part.entries()) if (answers[i]?.ok === false) place.held.delete(id);
        return answers;
      }),
    report: (reports) =>
      each<LeaseReport, ReportAnswer>(reports, { ok: false }, async (place, part) => {
        const answers = await call(place, (to) => to.report(part));
        for (const [i, report] of part.entries()) noteReport(place, report, answers[i] ?? { ok: false });
        return answers;
      }),
  };

  const crawls = () => [...places.values()].map(({ about }) => about());

  return {
    link,
    crawls,
    isOver: () => allOver(crawls()),
    bodies(crawl) {
      const place = open(crawl);
      if (!place) return 'unwanted';
      if (place.about().id === crawl) return place.bodies;
      throw new WebfarerError('store-silent', `the crawl ${crawl} is served by other coordinators`);
    },
    async hostsQueued() {
      const all = await Promise.all(alive().map((place) => call(place, () => place.hostsQueued())));
      return all.reduce((sum, hosts) => sum + hosts, 0);
    },
    async releaseLeases(worker) {
      await Promise.all(
        alive().map(async (place) => {
          await call(place, () => place.releaseLeases(worker));
          // Nobody is coming back with these.
          for (const [id, holder] of place.held) if (holder === worker) place.held.delete(id);
        }),
      );
    },
    async grantedTo(worker) {
      const all = await Promise.all(alive().map((place) => call(place, () => place.grantedTo(worker))));
      return all.flat();
    },
    rates: () => rates,
    serve(crawl) {
      const place: Place = { ...crawl, state: 'resting', held: new Map(), calls: new Set() };
      places.set(crawl.about().id, place);
      return {
        start: () => {
          place.state = 'open';
        },
        rest: () => {
          place.state = 'resting';
        },
        held: () => place.held,
        async close() {
          place.state = 'closed';
          while (place.calls.size > 0) await Promise.all(place.calls);
        },
      };
    },
  };
}
