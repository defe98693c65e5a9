import type { Clock, CoordinatorLink, Settlement, WorkerId } from '@webfarer/protocol';
import type { CrawlContext } from './context.ts';
import type { Fetch } from './fetch/fetch.ts';
import type { NetworkWatch } from './fetch/network-watch.ts';
import type { HeldLease } from './held-lease.ts';
import type { PendingReport, Reporter } from './reporter.ts';
import type { ServerErrors } from './server-errors.ts';
import type { StorageGate } from './storage-gate.ts';
import type { UrlRests } from './url-rests.ts';

/** What every host session of a worker shares. */
export interface SessionParts {
  worker: WorkerId;
  link: CoordinatorLink;
  clock: Clock;
  fetch: Fetch;
  network: NetworkWatch;
  reporter: Reporter;
  serverErrors: ServerErrors;
  urlRests: UrlRests;
  storage: StorageGate;
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

/** What to report: the rest as a longer gap. */
export function newsOf({ rest, ...news }: HostState): News {
  const { endedAtMs } = news;
  if (!rest || endedAtMs === null || rest.untilMs <= endedAtMs + news.gapMs) return news;
  const { untilMs, ...why } = rest;
  return { ...news, ...why, gapMs: untilMs - endedAtMs };
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
  /** Waits for the host's gap; false when the session must end. */
  pace: () => Promise<boolean>;
}
