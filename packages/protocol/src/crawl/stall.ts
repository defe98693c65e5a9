import type { FailedReason, WaitReason } from '../base/reasons.ts';
import { endedBy } from './over.ts';
import type { CrawlSnapshot, HostWait, Pause, PauseCause } from './snapshot.ts';
import { leftOutCause, type Stall, type StallCause, stallCauses } from './stall-causes.ts';

const byReason: Partial<Record<FailedReason, StallCause>> = {
  'dns-failed': 'dns-failed',
  'connect-refused': 'connect-refused',
  'connect-timeout': 'connect-timeout',
  unreachable: 'unreachable',
  'no-ipv6': 'no-ipv6',
  'tls-error': 'tls-error',
  'proxy-failed': 'proxy-failed',
  'connection-reset': 'connection-lost',
  timeout: 'connection-lost',
  'protocol-error': 'connection-lost',
  'http-429': 'server-errors',
  'http-5xx': 'server-errors',
};

const byWait: Record<WaitReason, StallCause> = {
  gap: 'gap',
  'crawl-delay': 'crawl-delay',
  rule: 'rule',
  slow: 'slow',
  'retry-after': 'retry-after',
  backoff: 'trouble',
  robots: 'robots',
  login: 'login',
  held: 'held',
  'other-crawl': 'other-crawl',
  alone: 'suspect',
};

/** A wait after trouble is named by the trouble. */
export function causeOfWait({ why, reason }: Pick<HostWait, 'why' | 'reason'>): StallCause {
  const known = reason === undefined ? undefined : byReason[reason];
  return why === 'backoff' ? (known ?? 'trouble') : byWait[why];
}

const workerPauses: Partial<Record<PauseCause, StallCause>> = {
  disk: 'workers-disk',
  'no-network': 'workers-offline',
};

/** The one place that decides what a crawl waits for. Undefined: it makes progress, or is over. */
export function stallOf(snapshot: CrawlSnapshot): Stall | undefined {
  const { state, pause, limitedBy } = snapshot;
  if (state === 'finished' || state === 'stopped') return undefined;
  if (state === 'limited')
    return stall('limit', endedBy(snapshot) ?? `the limit${limitedBy ? ` of ${limitedBy}` : ''} was reached`);
  if (pause) return stallOfPause(pause);
  if (state === 'paused') return stall('operator', 'paused by an operator');
  return stalledWorkers(snapshot) ?? stalledHosts(snapshot);
}

export function stallOfPause(pause: Pause): Stall {
  return stall(pause.cause, pause.text, pause);
}

/** All of them, for the same cause. */
function stalledWorkers({ hands }: CrawlSnapshot): Stall | undefined {
  const [first] = hands?.pauses ?? [];
  if (hands?.unable && hands.unable.workers >= hands.workers)
    return stall(leftOutCause(hands.unable.code), hands.unable.text);
  if (!hands || !first || hands.pauses.length < hands.workers) return undefined;
  const cause = workerPauses[first.cause];
  if (cause === undefined || hands.pauses.some((each) => each.cause !== first.cause)) return undefined;
  const who = hands.workers === 1 ? 'the worker has paused' : `all ${hands.workers} workers have paused`;
  return stall(cause, `${who}: ${first.text}`, first);
}

function stalledHosts(snapshot: CrawlSnapshot): Stall | undefined {
  const { inFlight, hands, abandoned = 0, abandonedForMs } = snapshot;
  // A little may be in flight, and pauses between its requests are not what keeps the crawl from being faster.
  if (abandonedForMs !== undefined && abandoned > inFlight) return lostLeases(abandoned, abandonedForMs);
  const hosts = snapshot.waiting.filter((wait) => !wait.dead);
  const next = hosts.find((wait) => wait.why !== 'held');
  if (next && hosts.every((wait) => wait.dueInMs > 0)) return hostStall(next);
  if (inFlight > 0) return undefined;
  // Without a worker there is no connection that could be held.
  if (next && hands && hands.connections > 0 && hands.held >= hands.connections) {
    const all =
      hands.connections === 1 ? 'the only connection is' : `all ${hands.connections} connections are`;
    return stall('connections-held', `${all} held by hosts that pause between requests`);
  }
  if (abandoned > 0)
    return stall(
      'workers-lost',
      `${abandoned} URL${abandoned === 1 ? '' : 's'} held by disconnected workers`,
    );
  const held = hosts.find((wait) => wait.why === 'held');
  return held && !next ? hostStall(held) : undefined;
}

/** After a restart or a restore of the store: nobody renews what was leased before. */
function lostLeases(urls: number, forMs: number): Stall {
  const held = urls === 1 ? '1 URL is' : `${urls} URLs are`;
  const seconds = Math.ceil(forMs / 1_000);
  const text = `at least ${held} held by leases from before the store or the coordinator started, of workers that are not connected; they are free within ${seconds} s`;
  return stall('workers-lost', text, { retryInMs: forMs });
}

function hostStall(wait: HostWait): Stall {
  const cause = causeOfWait(wait);
  const text = wait.detail ?? stallCauses[cause].meaning;
  return { ...stall(cause, text), host: wait.host, retryInMs: Math.round(wait.dueInMs) };
}

function stall(cause: StallCause, text: string, { retryInMs }: { retryInMs?: number } = {}): Stall {
  return { cause, text, ...(retryInMs === undefined ? {} : { retryInMs }) };
}
