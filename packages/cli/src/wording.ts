import {
  type CrawlSnapshot,
  doneReasons,
  droppedReasons,
  failedReasons,
  type HostWait,
  type OutcomeReason,
  type Pause,
  refusedReasons,
  type WaitReason,
} from '@webfarer/protocol';
import { count, countdown, plural, span } from './view/format.ts';
import { clean } from './view/text.ts';

/** The reason codes a summary calls by a shorter or plainer name than their code. */
const shortNames: Partial<Record<OutcomeReason, string>> = {
  ok: '200',
  'not-modified': 'unchanged (304)',
  'http-4xx': '4xx',
  'http-5xx': '5xx',
  'http-429': '429',
  'http-other': 'other status',
  'dns-not-found': 'no such host',
  'dns-failed': 'name server silent',
  'connect-refused': 'connection refused',
  'connect-timeout': 'no connection',
  'connection-reset': 'connection lost',
  'tls-error': 'TLS error',
  'protocol-error': 'not HTTP',
  'bad-encoding': 'bad encoding',
  'host-dead': 'host silent',
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

/** What a wait is called in brackets after a countdown. */
const waitNames: Record<WaitReason, string> = {
  gap: 'pause between requests',
  'crawl-delay': 'crawl-delay',
  slow: 'the host is slow',
  'retry-after': 'Retry-After',
  backoff: 'after trouble',
  robots: 'robots.txt not readable yet',
  held: 'may still be in use',
  alone: 'fetched alone',
};

/** Answers "why is it slow?": what the crawl waits for now. Absent when nothing is left to wait for. */
export function waitingFor(snapshot: CrawlSnapshot): string | undefined {
  const pause = pauseOf(snapshot);
  if (pause) return pauseWait(pause);
  const hosts = snapshot.waiting.filter((wait) => !wait.dead);
  const next = hosts.find((wait) => wait.why !== 'held');
  const held = hosts.find((wait) => wait.why === 'held');
  if (next && hosts.every((wait) => wait.dueInMs > 0)) return hostWait(next, snapshot.hostsQueued);
  if (snapshot.inFlight > 0) return `${plural(snapshot.inFlight, 'answer')} under way`;
  if (snapshot.abandoned !== undefined)
    return `a worker that is gone with ${plural(snapshot.abandoned, 'page')}, or the end of its leases`;
  // Held by the worker of this very process, which keeps its pauses: the end of its lease says nothing.
  if (held && !next) return `${clean(held.host)}, a pause between its requests`;
  if (snapshot.balance.queued > 0) return 'nothing, starting the next request';
  return undefined;
}

/** The pause in force; one that a person asked for is only a state. */
export function pauseOf(snapshot: CrawlSnapshot): Pause | undefined {
  if (snapshot.pause) return snapshot.pause;
  return snapshot.state === 'paused' ? { cause: 'operator', text: 'paused' } : undefined;
}

/** With many hosts their names would only flicker. */
const namedHosts = 3;

function hostWait(wait: HostWait, hosts: number): string {
  const due = `next in ${countdown(wait.dueInMs)} (${waitNames[wait.why]})`;
  return hosts > namedHosts ? `${count(hosts)} hosts, ${due}` : `${clean(wait.host)}, ${due}`;
}

/** One host in a list: when it is next, and why not before. */
export function dueWords(wait: HostWait, running: boolean): string {
  if (wait.dead) return 'given up';
  if (wait.why === 'held' && running) return 'at work now';
  return wait.dueInMs <= 0 ? 'due now' : `due in ${countdown(wait.dueInMs)} (${waitNames[wait.why]})`;
}

function pauseWait(pause: Pause): string {
  const next = pause.retryInMs === undefined ? '' : `, next try in ${countdown(pause.retryInMs)}`;
  if (pause.cause === 'no-network') return `the network${next}`;
  if (pause.cause === 'no-worker') return 'a worker; none is linked';
  if (pause.cause === 'disk') return `free disk space${next}`;
  if (pause.cause === 'store') return 'the store, which does not answer';
  return 'you (p goes on)';
}

/** The lines a pause shows for as long as it lasts. */
export function pauseLines(pause: Pause, done: number): string[] {
  const text = sentence(clean(pause.text));
  const next = pause.retryInMs === undefined ? '' : ` Next try in ${span(pause.retryInMs)}`;
  if (pause.cause === 'disk') {
    return [
      `‖ paused: ${text} Free space and it goes on by itself;`,
      `  or Ctrl-C and resume later. ${count(done)} done and safe.`,
    ];
  }
  if (pause.cause === 'operator') return [`‖ paused. p goes on; Ctrl-C stops. ${count(done)} done and safe.`];
  if (pause.cause === 'store' || pause.cause === 'no-worker')
    return [`! ${text} Nothing is lost. ${count(done)} done and safe.`];
  const charged = /charged/.test(text) ? '' : ' Paused; no URL is charged.';
  return [`! ${text}${charged}${next}`];
}

/** With a full stop at the end, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}
