import type { BrowserWeb, Seen } from './browser-web.ts';

export interface VisitFindings {
  requests: number;
  /** Requests that came too soon: after a visit, or after any request to a host that only serves parts of pages. */
  gapViolations: number;
  /** Requests of one site at once, where all belong to one visit. */
  maxInFlightOwn: number;
  maxInFlightElsewhere: number;
  /** Requests that robots.txt forbids, and hosts that were asked for something else before it. */
  disallowed: number;
  beforeRobots: number;
  /** Requests that would change something. */
  changing: number;
  /** Pages that the crawler or a page in the browser asked for again. */
  askedAgain: number;
  /** Files of other hosts that may be kept and were asked for again. */
  sharedAgain: number;
  examples: string[];
}

/** By the log of the web alone. */
export function judgeVisits(
  web: Pick<BrowserWeb, 'isSite' | 'pages' | 'urlOf'>,
  log: readonly Seen[],
  gapMs: number,
): VisitFindings {
  const found: VisitFindings = {
    requests: log.length,
    gapViolations: 0,
    maxInFlightOwn: 0,
    maxInFlightElsewhere: 0,
    disallowed: 0,
    beforeRobots: 0,
    changing: 0,
    askedAgain: 0,
    sharedAgain: 0,
    examples: [],
  };
  const byHost = new Map<string, Seen[]>();
  for (const seen of [...log].sort((a, b) => a.startMs - b.startMs)) {
    const before = byHost.get(seen.host) ?? [];
    if (before.length === 0) byHost.set(seen.host, before);
    judgeOne(web, seen, before, found, gapMs);
    before.push(seen);
  }
  return found;
}

function judgeOne(
  web: Pick<BrowserWeb, 'isSite' | 'pages' | 'urlOf'>,
  seen: Seen,
  before: readonly Seen[],
  found: VisitFindings,
  gapMs: number,
): void {
  const isSite = web.isSite(seen.host);
  const { path, method, startMs, byPage } = seen;
  const note = (what: string): void => {
    if (found.examples.length < 10) found.examples.push(`${what}: ${method} ${seen.host}${path}`);
  };
  const lastEndMs = Math.max(...before.map(({ endMs }) => endMs), Number.NEGATIVE_INFINITY);
  // What a page loads from its own site is the same visit.
  if (!(isSite && byPage) && startMs - lastEndMs < gapMs) {
    found.gapViolations += 1;
    note(`${(startMs - lastEndMs).toFixed(1)} ms after the last`);
  }
  const inFlight = 1 + before.filter(({ endMs }) => endMs > startMs).length;
  if (isSite) found.maxInFlightOwn = Math.max(found.maxInFlightOwn, inFlight);
  else found.maxInFlightElsewhere = Math.max(found.maxInFlightElsewhere, inFlight);
  if (path !== '/robots.txt' && !before.some((one) => one.path === '/robots.txt')) found.beforeRobots += 1;
  if (seen.host.startsWith('tracker') && path.startsWith('/collect')) found.disallowed += 1;
  if (!['GET', 'HEAD', 'POST', 'OPTIONS'].includes(method)) found.changing += 1;
  if (!isSite && path.endsWith('.js') && before.some((one) => one.path === path)) found.sharedAgain += 1;
  const page = isSite
    ? web.pages.get(web.urlOf({ site: Number(/\d+/.exec(seen.host)?.[0]) }, path))
    : undefined;
  // A document in a frame is a part of one page and a page of its own.
  if (page && before.some((one) => one.path === path && (page.kind !== 'framed' || one.byPage === byPage))) {
    found.askedAgain += 1;
    note('again');
  }
}
