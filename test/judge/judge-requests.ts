import type { Host } from '../fake-web/hosts.ts';
import { originFor } from '../fake-web/pages.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import { robotsTruth } from '../fake-web/robots-rules.ts';
import { isTrapHost } from '../fake-web/traps.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';

export interface RequestFindings {
  requests: number;
  robotsRequests: number;
  /** Fetches beyond one per URL that the web did not provoke by a 429, a 5xx or by vanishing. */
  repeats: number;
  /** URLs fetched again unprovoked, each as often as it was. */
  repeatedUrls: string[];
  /** Requests that robots.txt forbids. */
  disallowed: number;
  /** Page requests to an origin whose robots.txt had not been answered yet. */
  beforeRobots: number;
  /** Requests for URLs that a right crawl never comes to know. */
  strays: number;
  /** URLs that a right crawl has an answer of, but nobody asked for. */
  unfetched: number;
  /** Pauses on one host name that were shorter than asked for. */
  gapViolations: number;
  /** Shortest pause on any host; null when no host was asked twice. */
  minGapMs: number | null;
  maxInFlightPerHost: number;
  requestExamples: Record<'disallowed' | 'beforeRobots' | 'strays' | 'unfetched' | 'gaps', string[]>;
}

const examples = 20;

export function judgeRequests(input: {
  web: Web;
  expect: ExpectOptions;
  log: Iterable<LogEntry>;
  gapMs: number;
  epsilonMs: number;
}): RequestFindings {
  const entries = [...input.log].sort((a, b) => a.startNs - b.startNs);
  const permission = judgePermission(input.web, input.expect, entries);
  const repeated = findRepeats(input.web, entries);
  const pace = judgePace(input, entries);
  return {
    requests: entries.length,
    robotsRequests: entries.filter(isRobots).length,
    repeats: repeated.length,
    repeatedUrls: repeated,
    disallowed: permission.disallowed.length,
    beforeRobots: permission.beforeRobots.length,
    strays: permission.strays.length,
    unfetched: permission.unfetched.length,
    gapViolations: pace.gaps.length,
    minGapMs: pace.minGapMs,
    maxInFlightPerHost: pace.maxInFlight,
    requestExamples: {
      disallowed: permission.disallowed.slice(0, examples),
      beforeRobots: permission.beforeRobots.slice(0, examples),
      strays: permission.strays.slice(0, examples),
      unfetched: permission.unfetched.slice(0, examples),
      gaps: pace.gaps.slice(0, examples),
    },
  };
}

function isRobots(entry: LogEntry): boolean {
  return entry.path === '/robots.txt';
}

function urlOf(web: Web, entry: LogEntry): string {
  const host = web.hostNamed(entry.host);
  const origin = host === undefined ? `${entry.scheme}://${entry.host}` : originFor(web, host, entry.scheme);
  return origin + entry.path;
}

function judgePermission(web: Web, expect: ExpectOptions, entries: readonly LogEntry[]) {
  const known = new Set<string>();
  const unfetched = new Set<string>();
  for (const one of web.expected(expect)) {
    known.add(one.url);
    if (one.verdict === 'done') unfetched.add(one.url);
  }
  const asked = new Set<string>();
  const disallowed: string[] = [];
  const beforeRobots: string[] = [];
  const strays: string[] = [];
  for (const entry of entries) {
    const origin = `${entry.scheme} ${entry.host}`;
    if (isRobots(entry)) {
      asked.add(origin);
      continue;
    }
    const url = urlOf(web, entry);
    unfetched.delete(url);
    const host = web.hostNamed(entry.host);
    if (!asked.has(origin)) beforeRobots.push(url);
    if (host !== undefined && isForbidden(web, host, entry.path)) disallowed.push(url);
    const inTrap = host !== undefined && isTrapHost(host) && (expect.hosts?.(host) ?? true);
    if (!inTrap && !known.has(url)) strays.push(url);
  }
  return { disallowed, beforeRobots, strays, unfetched: [...unfetched] };
}

/** Unknown rules forbid everything, and so does a delay that no policy accepts. */
function isForbidden(web: Web, host: Host, path: string): boolean {
  if (host.robots === 'broken-500' || host.robots === 'patience') return true;
  return !robotsTruth(web, host, path).allowed;
}

/** robots.txt may be read again; for all else, an answer other than trouble must have been the last. */
function findRepeats(web: Web, entries: readonly LogEntry[]): string[] {
  const last = new Map<string, LogEntry>();
  const repeated: string[] = [];
  for (const entry of entries) {
    if (isRobots(entry)) continue;
    const url = urlOf(web, entry);
    const before = last.get(url);
    if (before !== undefined && !isTrouble(before)) repeated.push(url);
    last.set(url, entry);
  }
  return repeated;
}

function isTrouble(entry: LogEntry): boolean {
  return entry.cut === 'server' || entry.status === 429 || entry.status >= 500;
}

interface HostPace {
  /** Ends of requests that may still run. */
  running: number[];
  lastEndNs: number;
  /** What is owed after the last end. */
  owedMs: number;
  crawlDelayMs: number;
}

function judgePace(input: { web: Web; gapMs: number; epsilonMs: number }, entries: readonly LogEntry[]) {
  const hosts = new Map<string, HostPace>();
  const gaps: string[] = [];
  let minGapMs: number | null = null;
  let maxInFlight = 0;
  for (const entry of entries) {
    let pace = hosts.get(entry.host);
    if (pace === undefined) {
      pace = { running: [], lastEndNs: 0, owedMs: 0, crawlDelayMs: 0 };
      hosts.set(entry.host, pace);
    } else {
      const gapMs = (entry.startNs - pace.lastEndNs) / 1e6;
      minGapMs = Math.min(minGapMs ?? gapMs, gapMs);
      if (gapMs < pace.owedMs - input.epsilonMs) {
        gaps.push(`${urlOf(input.web, entry)} after ${gapMs.toFixed(2)} ms, owed ${pace.owedMs} ms`);
      }
    }
    // Under way when the log was taken: it has not ended before anything in the log.
    const endNs = entry.endNs === 0 ? Number.POSITIVE_INFINITY : entry.endNs;
    pace.running = pace.running.filter((end) => end > entry.startNs);
    pace.running.push(endNs);
    maxInFlight = Math.max(maxInFlight, pace.running.length);
    if (isRobots(entry) && entry.status === 200) {
      pace.crawlDelayMs = input.web.hostNamed(entry.host)?.crawlDelayMs ?? 0;
    }
    pace.owedMs = Math.max(input.gapMs, pace.crawlDelayMs, entry.retryAfterMs ?? 0);
    pace.lastEndNs = Math.max(pace.lastEndNs, endNs);
  }
  return { gaps, minGapMs, maxInFlight };
}
