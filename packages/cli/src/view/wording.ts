import type { CrawlSnapshot, HostWait, OutcomeReason, Pause, Stall, StallCause } from '@webfarer/protocol';
import {
  causeOfWait,
  doneReasons,
  droppedReasons,
  failedReasons,
  refusedReasons,
  stallOf,
} from '@webfarer/protocol/crawl';
import { count, countdown, plural, span } from '../terminal/format.ts';
import { clean, sentence } from '../terminal/text.ts';

/** The reason codes a summary calls by a shorter or plainer name than their code. */
const shortNames: Partial<Record<OutcomeReason, string>> = {
  ok: '200',
  'not-modified': 'unchanged (304)',
  'http-4xx': '4xx',
  'http-5xx': '5xx',
  'http-429': '429',
  'http-other': 'other status',
  'dns-not-found': 'no such host',
  'dns-failed': 'no DNS response',
  'connect-refused': 'connection refused',
  'proxy-failed': 'proxy failed',
  'connect-timeout': 'no connection',
  'connection-reset': 'connection lost',
  'tls-error': 'TLS error',
  'protocol-error': 'not HTTP',
  'bad-encoding': 'bad encoding',
  'host-dead': 'host unresponsive',
  handler: 'scraper error',
  'handler-timeout': 'scraper too slow',
  'item-invalid': 'invalid item',
  'robots-unreachable': 'robots.txt unreadable',
  'crawl-delay': 'crawl-delay too long',
  'too-large': 'too large',
  'host-budget': 'host budget',
  'site-budget': 'site budget',
  'redirect-limit': 'too many redirects',
  'private-address': 'private address',
  challenge: 'challenge page',
};

export function reasonName(reason: OutcomeReason): string {
  return shortNames[reason] ?? reason;
}

const sentences: Record<string, string> = {
  ...droppedReasons,
  ...doneReasons,
  ...failedReasons,
  ...refusedReasons,
};

/** The sentence of a reason code. */
export function reasonSentence(code: string): string {
  return sentences[code] ?? code;
}

/** What a cause is called in a line about waiting. */
const causeNames: Record<StallCause, string> = {
  starting: 'starting up',
  operator: 'paused',
  limit: 'limit reached',
  quota: 'a quota of the team',
  store: 'the store, which is unreachable',
  'store-full': 'the store, which is out of memory',
  'store-replicas': 'replicas of the store',
  'store-backlog': 'results to be moved from the store to files',
  disk: 'free disk space',
  'min-free': 'the free disk space that its job asks for',
  'object-storage': 'its object storage',
  saving: 'what saves its captures',
  'no-network': 'the network',
  'no-worker': 'a worker',
  'workers-disk': 'free disk space on the workers',
  'workers-offline': 'the network of the workers',
  'workers-unable': 'a worker that can work on it',
  'workers-lost': 'disconnected workers, or the end of their leases',
  'connections-held': 'a free connection',
  gap: 'pause between requests',
  'crawl-delay': 'crawl-delay',
  rule: 'a host rule',
  slow: 'the host is slow',
  'retry-after': 'Retry-After',
  'server-errors': 'server errors',
  login: 'a login',
  robots: 'robots.txt not readable yet',
  'dns-failed': 'DNS servers do not respond',
  'connect-refused': 'connection refused',
  'connect-timeout': 'no response to the connection',
  unreachable: 'no route to the host',
  'no-ipv6': 'no IPv6 route',
  'tls-error': 'TLS fails',
  'proxy-failed': 'the proxy fails',
  'connection-lost': 'connection lost',
  trouble: 'after trouble',
  suspect: 'given back by a worker',
  held: 'may still be in use',
  'other-crawl': 'another crawl has its turn',
};

/** Answers "why is it slow?": what the crawl waits for now. Absent when nothing is left to wait for. */
export function waitingFor(snapshot: CrawlSnapshot): string | undefined {
  const stall = snapshot.stall ?? stallOf(snapshot);
  if (stall) return stallWords(stall, snapshot.hostsQueued);
  if (snapshot.inFlight > 0) return `${plural(snapshot.inFlight, 'response')}`;
  if (snapshot.balance.queued > 0) return 'nothing, starting the next request';
  return undefined;
}

/** With many hosts their names would only flicker. */
const namedHosts = 3;
/** What their sentences add to the name of the cause. */
const worthQuoting: readonly StallCause[] = [
  'connections-held',
  'disk',
  'min-free',
  'no-worker',
  'object-storage',
  'quota',
  'saving',
  'store-replicas',
  'workers-disk',
  'workers-lost',
  'workers-offline',
  'workers-unable',
];

export function stallWords({ cause, host, retryInMs, text }: Stall, hosts: number): string {
  const name = causeNames[cause];
  if (cause === 'operator') return 'an operator to resume it';
  // It says what to do.
  if (cause === 'login') return `${name}: ${clean(text)}`;
  if (host !== undefined) {
    const who = hosts > namedHosts ? `${count(hosts)} hosts` : clean(host);
    // Held by the worker of this very process, which keeps its pauses: the end of its lease says nothing.
    if (cause === 'held') return `${clean(host)}, a pause between its requests`;
    const why = cause === 'rule' && hosts <= namedHosts ? clean(text) : name;
    return `${who}, next in ${countdown(retryInMs ?? 0)} (${why})`;
  }
  if (worthQuoting.includes(cause)) return `${name}: ${clean(text)}`;
  const next =
    cause === 'no-network' && retryInMs !== undefined ? `, next try in ${countdown(retryInMs)}` : '';
  return `${name}${next}`;
}

/** The pause in force; one that a person asked for is only a state. */
export function pauseOf(snapshot: CrawlSnapshot): Pause | undefined {
  if (snapshot.pause) return snapshot.pause;
  return snapshot.state === 'paused' ? { cause: 'operator', text: 'paused' } : undefined;
}

/** One host in a list: when it is next, and why not before. */
export function dueWords(wait: HostWait, running: boolean): string {
  if (wait.dead) return 'given up';
  if (wait.why === 'held' && running) return 'being fetched now';
  return wait.dueInMs <= 0
    ? 'due now'
    : `due in ${countdown(wait.dueInMs)} (${causeNames[causeOfWait(wait)]})`;
}

/** The lines a pause shows for as long as it lasts. */
export function pauseLines(pause: Pause, done: number): string[] {
  const text = sentence(clean(pause.text));
  const next = pause.retryInMs === undefined ? '' : ` Next try in ${span(pause.retryInMs)}`;
  if (pause.cause === 'disk') {
    return [
      `‖ paused: ${text} It resumes by itself when there is space;`,
      `  or Ctrl-C and resume later. ${count(done)} done and safe.`,
    ];
  }
  if (pause.cause === 'operator')
    return [`‖ paused. Press p to resume, Ctrl-C to stop. ${count(done)} done and safe.`];
  if (pause.cause !== 'no-network')
    return [`! ${capital(text)} Nothing is lost. ${count(done)} done and safe.`];
  const charged = /charged/.test(text) ? '' : ' Paused; no URL is charged.';
  return [`! ${text}${charged}${next}`];
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
