import type { StallCause } from '../crawl/stall-causes.ts';
import type { CrawlState } from '../crawl/record.ts';
import type { Counted } from './number-table.ts';
import type { Words } from './words.ts';

interface StateMeaning {
  means: string;
  words: Words;
  tone: 'good' | 'calm' | 'warn' | 'bad';
  /** What an operator can do: pause and stop, resume, or nothing. */
  offers: 'pause' | 'resume' | 'nothing';
}

/** How a crawl is, as a person sees it: the state that was ordered, and what became of the order. */
export const stateTable = {
  loading: {
    means: 'not told yet',
    words: { en: 'loading', de: 'lädt' },
    tone: 'calm',
    offers: 'nothing',
  },
  running: {
    means: 'URLs are fetched as fast as politeness allows',
    words: { en: 'running', de: 'läuft' },
    tone: 'good',
    offers: 'pause',
  },
  waiting: {
    means: 'no progress until a person does something: connects a worker, makes room, raises a quota',
    words: { en: 'waiting for a person', de: 'wartet auf einen Menschen' },
    tone: 'warn',
    offers: 'pause',
  },
  'logged-out': {
    means: 'no progress: an account was logged out by its site, and a person can log in again',
    words: { en: 'logged out', de: 'abgemeldet' },
    tone: 'warn',
    offers: 'pause',
  },
  held: {
    means: 'no progress at this moment: something outside is in the way, and the crawl resumes by itself',
    words: { en: 'on hold', de: 'angehalten' },
    tone: 'warn',
    offers: 'pause',
  },
  paused: {
    means: 'an operator has paused it',
    words: { en: 'paused', de: 'pausiert' },
    tone: 'warn',
    offers: 'resume',
  },
  stopped: {
    means: 'an operator has stopped it; URLs may be queued',
    words: { en: 'stopped', de: 'gestoppt' },
    tone: 'warn',
    offers: 'resume',
  },
  limited: {
    means: 'over, because it reached a limit of its job; URLs may be queued',
    words: { en: 'limit reached', de: 'Grenze erreicht' },
    tone: 'warn',
    offers: 'resume',
  },
  blocked: {
    means: 'over without a single request for a page that was allowed: every URL was refused',
    words: { en: 'blocked', de: 'blockiert' },
    tone: 'bad',
    offers: 'nothing',
  },
  finished: {
    means: 'over: nothing is queued or leased',
    words: { en: 'finished', de: 'fertig' },
    tone: 'good',
    offers: 'nothing',
  },
  failed: {
    means: 'it should run and cannot; the reason says what to do',
    words: { en: 'cannot run', de: 'kann nicht laufen' },
    tone: 'bad',
    offers: 'resume',
  },
} as const satisfies Record<string, StateMeaning>;

export type ShownState = keyof typeof stateTable;

type Waiting = Extract<ShownState, 'running' | 'waiting' | 'logged-out' | 'held' | 'paused' | 'limited'>;

/** What a crawl that makes no progress for a cause is called. `running`: waiting is part of being polite. */
const shownAs: Record<StallCause, Waiting> = {
  operator: 'paused',
  limit: 'limited',
  gap: 'running',
  'crawl-delay': 'running',
  rule: 'running',
  slow: 'running',
  held: 'running',
  'other-crawl': 'running',
  'connections-held': 'running',
  login: 'logged-out',
  quota: 'waiting',
  'no-worker': 'waiting',
  'workers-unable': 'waiting',
  'workers-disk': 'waiting',
  'store-full': 'waiting',
  disk: 'waiting',
  'min-free': 'waiting',
  starting: 'held',
  store: 'held',
  'store-replicas': 'held',
  'store-backlog': 'held',
  'object-storage': 'held',
  saving: 'held',
  'no-network': 'held',
  'workers-offline': 'held',
  'workers-lost': 'held',
  'retry-after': 'held',
  'server-errors': 'held',
  robots: 'held',
  'dns-failed': 'held',
  'connect-refused': 'held',
  'connect-timeout': 'held',
  unreachable: 'held',
  'no-ipv6': 'held',
  'tls-error': 'held',
  'proxy-failed': 'held',
  'connection-lost': 'held',
  trouble: 'held',
  suspect: 'held',
};

/** Whether a crawl that waits for this is well. */
export function isCalm(cause: string): boolean {
  const shown = waitingState(cause);
  return shown === 'running' || shown === 'paused' || shown === 'limited';
}

/** Causes are texts here: a coordinator of a later version may name one more. */
export interface Judged extends Pick<Counted, 'balance'> {
  state?: CrawlState | 'failed' | undefined;
  pause?: { cause: string } | undefined;
  stall?: { cause: string } | undefined;
}

/** The one place that decides how a crawl is called. */
export function shownState({ state, pause, stall, balance }: Judged): ShownState {
  if (state === undefined) return 'loading';
  if (state === 'running') return waitingState((pause ?? stall)?.cause);
  if (state === 'finished' && balance && balance.known > 0 && balance.refused === balance.known)
    return 'blocked';
  return state;
}

function waitingState(cause: string | undefined): Waiting {
  if (cause === undefined) return 'running';
  return Object.hasOwn(shownAs, cause) ? shownAs[cause as StallCause] : 'held';
}

/** Whether workers may be at work on it. */
export function isOpen(state: CrawlState | 'failed' | undefined): boolean {
  return state === 'running' || state === 'paused';
}
