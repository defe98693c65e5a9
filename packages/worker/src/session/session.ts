import type { DatedClock, HostLease, HostPace, Job, Settlement, WorkerId } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import { inFlightOn } from '@webfarer/protocol/job';
import type { CrawlContext } from '../context/context.ts';
import type { Renderer } from '../browser/rendering.ts';
import type { Fetch, FetchSession, TurnPolicy } from '../fetch/fetch.ts';
import type { RobotsFiles } from '../fetch/robots-files.ts';
import type { NetworkWatch } from '../egress/network-watch.ts';
import type { HeldLease } from './held-lease.ts';
import type { PendingReport, Reporter } from './reporter.ts';
import type { ChallengedHosts } from './challenged-hosts.ts';
import type { AnsweredHosts } from './answered-hosts.ts';
import type { ServerErrors } from './server-errors.ts';
import type { PageParts } from '../page/pipeline.ts';
import type { UrlRests } from './url-rests.ts';

/** What every host session of a worker shares. */
export interface SessionParts extends PageParts {
  worker: WorkerId;
  clock: DatedClock;
  fetch: Fetch;
  /** Undefined: there is no browser on this machine. */
  renderer: Renderer | undefined;
  network: NetworkWatch;
  reporter: Reporter;
  serverErrors: ServerErrors;
  answeredHosts: AnsweredHosts;
  challenged: ChallengedHosts;
  urlRests: UrlRests;
  robotsFiles: RobotsFiles;
  metrics: Metrics;
  /** Begin nothing new; finish what is in flight. */
  halt: AbortSignal;
  /** Drop what is in flight. */
  drop: AbortSignal;
  wentOffline: (text: string) => void;
  inFlight: (change: 1 | -1) => void;
}

/** What the session owes its host, and how the host fared. */
export interface HostState extends News {
  /** The whole host is left alone until then, whatever other pages answer meanwhile. */
  rest?: { untilMs: number } & Pick<News, 'why' | 'reason' | 'detail'>;
}

type News = PendingReport['news'];

/** A longer rest replaces a shorter one. */
export function restHost(host: HostState, rest: NonNullable<HostState['rest']>): void {
  if (rest.untilMs > (host.rest?.untilMs ?? 0)) host.rest = rest;
}

/**
 * We see the end of an answer when its last byte arrives; the host may put it a moment later, when it has done with it,
 * and on a busy machine that takes some milliseconds. The gap is promised as measured at the host.
 */
export function endMarginMs(gapMs: number): number {
  return gapMs > 0 ? Math.min(25, Math.max(2, gapMs / 100)) : 0;
}

/** What to report: the rest as a longer gap. */
export function newsOf({ rest, ...news }: HostState): News {
  const { endedAtMs } = news;
  if (!rest || endedAtMs === null || rest.untilMs <= endedAtMs + news.gapMs) return news;
  const { untilMs, ...why } = rest;
  return { ...news, ...why, gapMs: untilMs - endedAtMs };
}

/**
 * A request that had to wait for its address goes out only while the lease of its host outlasts it: another worker may
 * hold the host after that.
 */
export function turnUnder(
  lease: LeaseTime,
  { context, parts: { clock, halt } }: Pick<HostSession, 'context' | 'parts'>,
): TurnPolicy {
  return {
    most: Math.max(context.job.politeness.perAddress, lease.connections),
    endsOn: [halt, ...lease.endsOn],
    mayBegin: () => clock.now() + context.job.fetch.timeoutMs < lease.deadlineMs(),
  };
}

/** How long a request to a host may be put off. */
interface LeaseTime extends Pick<HostPace, 'connections'> {
  deadlineMs: () => number;
  endsOn: readonly AbortSignal[];
}

/** The lease of a session, which the worker renews. */
export function ownLease(held: HeldLease, { connections }: HostPace): LeaseTime {
  return { connections, deadlineMs: () => held.deadlineMs, endsOn: [held.lost] };
}

/** How the host of a lease is treated: as the lease says, else as the job says for all hosts. */
export function paceOf({ pace, host }: Pick<HostLease, 'pace' | 'host'>, job: Job): HostPace {
  return pace ?? { gapMs: job.politeness.gapMs, connections: inFlightOn(job, host) };
}

/** What to do after one entry: go on with the next, or give the host back. */
export type Step = {
  settled: Settlement[];
  goOn: boolean;
  /** Nothing is decided yet: the same URL is to be asked for once more, after the gap. */
  again?: true;
};

/** One host session at work. */
export interface HostSession {
  held: HeldLease;
  context: CrawlContext;
  parts: SessionParts;
  host: HostState;
  /** How the host is to be treated. */
  asked: HostPace;
  /** The way to the host. */
  session: FetchSession;
  /** Waits for the host's gap; false when the session must end. */
  pace: () => Promise<boolean>;
}
