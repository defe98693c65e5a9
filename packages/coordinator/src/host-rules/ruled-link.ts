import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  Entry,
  HostKey,
  HostLease,
  HostNews,
  HostPace,
  LeaseAnswer,
  LeaseReport,
  LeaseRequest,
  PageRecord,
  RenewAnswer,
  Settlement,
} from '@webfarer/protocol';
import type { HostRuling, Treatment } from './host-ruling.ts';

export interface RuledLinkOptions {
  link: CoordinatorLink;
  crawl: CrawlId;
  clock: Pick<Clock, 'now'>;
  ruling: HostRuling;
  /** A worker goes on as if an earlier rule still held for the host: it has to give the host back. */
  outdated: (host: HostKey) => void;
  /** When a process last died that may have had a request in flight, which nobody has reported. */
  diedAtMs: () => number;
}

/** Leases asked for again in one call, in place of those that no worker is given. */
const ROUNDS = 8;
/** Entries settled in one step, as many as a sweep settles. */
const STEP = 500;

type Refusal = Extract<Treatment, { kind: 'refuse' }>;

/**
 * The link of a crawl under the rules for its hosts. A lease says how its host is to be treated, so that a worker need not
 * ask. What is queued on a host that may not be contacted is settled here as it comes up, and no worker is given the host;
 * a host whose pause has become longer goes back until the pause is over.
 */
export function ruledLink(options: RuledLinkOptions): CoordinatorLink {
  const { link, crawl, clock, ruling, outdated } = options;

  /** How long ago the last request to the host may have ended. */
  function endedAgoMs(lease: HostLease): number | null {
    const agoMs = clock.now() - options.diedAtMs();
    return agoMs === Number.POSITIVE_INFINITY ? lease.endedAgoMs : Math.min(agoMs, lease.endedAgoMs ?? agoMs);
  }

  /** How long the host must still be left alone under this pace. */
  function restMs(lease: HostLease, { gapMs }: HostPace): number {
    const agoMs = endedAgoMs(lease);
    return agoMs === null ? 0 : gapMs - agoMs;
  }

  /** Gives a lease back untouched, for as long as the pause lasts. */
  function putOff(lease: HostLease, pace: HostPace): LeaseReport {
    const news: HostNews = { endedAgoMs: endedAgoMs(lease), health: 'none', ...pauseOf(pace) };
    return { ...refOf(lease), settled: [], news, close: true };
  }

  /** Splits what was granted into what a worker may have and what goes back. */
  function sort(leases: readonly HostLease[], granted: HostLease[]): LeaseReport[] {
    const back: LeaseReport[] = [];
    for (const lease of leases) {
      const treatment = ruling.of(lease.host);
      if (!treatment) granted.push(lease);
      else if (treatment.kind === 'refuse') back.push(refusal(lease, treatment, clock.now()));
      else if (restMs(lease, treatment.pace) > 0) back.push(putOff(lease, treatment.pace));
      else granted.push({ ...lease, pace: treatment.pace });
    }
    return back;
  }

  async function settle(reports: readonly LeaseReport[]): Promise<void> {
    let step: LeaseReport[] = [];
    let entries = 0;
    for (const report of reports) {
      if (entries + report.settled.length > STEP && step.length > 0) {
        await link.report(step);
        [step, entries] = [[], 0];
      }
      step.push(report);
      entries += report.settled.length;
    }
    if (step.length > 0) await link.report(step);
  }

  async function lease(request: LeaseRequest): Promise<LeaseAnswer> {
    const granted: HostLease[] = [];
    for (let round = 1; ; round++) {
      const answer = await link.lease({ ...request, hosts: request.hosts - granted.length });
      const back = sort(answer.leases, granted);
      if (back.length === 0) return { leases: granted, nextDueMs: answer.nextDueMs };
      try {
        await settle(back);
      } catch (error) {
        // What was granted must reach its worker; the rest runs out by itself.
        if (granted.length === 0) throw error;
        return { leases: granted, nextDueMs: 0 };
      }
      if (granted.length >= request.hosts || round === ROUNDS) return { leases: granted, nextDueMs: 0 };
    }
  }

  /** The pause that holds now, whatever the worker knew when it made its request. */
  function ruled(report: LeaseReport): LeaseReport {
    const treatment = ruling.of(report.host);
    if (!treatment) return report;
    if (treatment.kind === 'refuse') {
      if (!report.close) outdated(report.host);
      return report;
    }
    const { news } = report;
    const { pace } = treatment;
    if (news.endedAgoMs === null || news.gapMs >= pace.gapMs) return report;
    // What another crawl owes its hosts is not in the job of this one.
    if (report.crawl !== crawl && pace.rule === undefined) return report;
    if (!report.close) outdated(report.host);
    return { ...report, news: { ...news, ...pauseOf(pace) } };
  }

  return {
    lease: (request) => (ruling.isIdle() ? link.lease(request) : lease(request)),
    async leaseHost(request) {
      const treatment = ruling.of(request.host);
      if (treatment?.kind === 'refuse') return { granted: false, refused: treatment.detail };
      const answer = await link.leaseHost(request);
      if (!treatment || !answer.granted) return answer;
      const waitMs = restMs(answer.lease, treatment.pace);
      if (waitMs <= 0) return { granted: true, lease: { ...answer.lease, pace: treatment.pace } };
      await link.report([putOff(answer.lease, treatment.pace)]);
      return { granted: false, retryAfterMs: waitMs };
    },
    robots: (origin) => link.robots(origin),
    previous: (question) => link.previous(question),
    /** A worker that was not told of a rule, because it was disconnected, learns here that it has lost the host. */
    async renew(leases) {
      if (ruling.isIdle()) return await link.renew(leases);
      const allowed = leases.filter(({ host }) => ruling.of(host)?.kind !== 'refuse');
      if (allowed.length === leases.length) return await link.renew(leases);
      const answers = allowed.length === 0 ? [] : await link.renew(allowed);
      const byId = new Map(allowed.map(({ id }, i) => [id, answers[i]]));
      return leases.map(({ id }): RenewAnswer => byId.get(id) ?? { ok: false });
    },
    report: (reports) => link.report(ruling.isIdle() ? reports : reports.map(ruled)),
  };
}

function pauseOf({ gapMs, rule }: HostPace): Pick<HostNews, 'gapMs' | 'why' | 'detail'> {
  return rule === undefined ? { gapMs, why: 'gap' } : { gapMs, why: 'rule', detail: rule };
}

function refusal(lease: HostLease, { reason, detail }: Refusal, nowMs: number): LeaseReport {
  const settled = lease.entries.map((entry) => refused(entry, { reason, detail }, nowMs));
  const news: HostNews = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' };
  return { ...refOf(lease), settled, news, close: true };
}

function refOf({ id, crawl, host, fence }: HostLease) {
  return { id, crawl, host, fence };
}

function refused(entry: Entry, why: Pick<PageRecord, 'reason' | 'detail'>, nowMs: number): Settlement {
  const { url, kind, depth, label, referrer, attempt } = entry;
  const record: PageRecord = {
    url,
    verdict: 'refused',
    ...why,
    kind,
    depth,
    ...(label === undefined ? {} : { label }),
    ...(referrer === undefined ? {} : { referrer }),
    attempts: attempt,
    bytes: 0,
    startedAtMs: Math.round(nowMs),
    durationMs: 0,
    links: 0,
    items: 0,
  };
  return { kind: 'outcome', url, record, offers: [], edges: [], items: [], dropped: {} };
}
