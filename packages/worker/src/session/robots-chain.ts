import type { HostLeaseAnswer, Url } from '@webfarer/protocol';
import { hostOf, originOf } from '@webfarer/protocol/url';
import type { FetchSession, TurnPolicy } from '../fetch/fetch.ts';
import { type RobotsAnswer, readRobots } from '../fetch/robots.ts';
import { headersFor } from '../page/request.ts';
import { endMarginMs, type HostSession, ownLease, paceOf, turnUnder } from './session.ts';
import { isYoung } from './robots-age.ts';

/** The other host is in use: its lease may end any moment, so look again soon. */
const BUSY_LOOK_MS = 500;

/** Rules are small. */
const ROBOTS_TIMEOUT_MS = 10_000;

/**
 * Reads robots.txt of an origin along its redirects: own hops under the session's lease, hops to other
 * hosts under short leases of theirs. `busy`: such a host cannot be asked yet; the way so far is kept.
 */
export async function readAlong(
  origin: string,
  options: HostSession,
): Promise<Exclude<RobotsAnswer, { kind: 'not-begun' }> | 'busy' | 'halted'> {
  const { context, held, pace } = options;
  let { url, hops } = context.robotsHops.get(origin) ?? { url: undefined, hops: 0 };
  for (; ; hops++) {
    const own = url === undefined || hostOf(url) === held.lease.host;
    if (own && !(await pace())) return 'halted';
    const answer = own
      ? await readOwn(origin, url, hops, options)
      : await readOther(origin, url as Url, hops, options);
    if (own && answer !== 'busy' && answer.kind === 'not-begun') return 'halted';
    if (answer === 'busy' || answer.kind === 'not-begun') {
      context.robotsHops.set(origin, { url: url as Url, hops });
      return 'busy';
    }
    if (answer.kind !== 'redirect') {
      context.robotsHops.delete(origin);
      return answer;
    }
    url = answer.url;
  }
}

async function readOwn(
  origin: string,
  url: Url | undefined,
  hops: number,
  options: HostSession,
): Promise<RobotsAnswer> {
  const turn = turnUnder(ownLease(options.held, options.asked), options);
  const answer = await ask({ origin, url, hops, turn, session: options.session }, options);
  const { host, parts } = options;
  if (answer.contacted) host.endedAtMs = parts.clock.now() + endMarginMs(host.gapMs);
  return answer;
}

async function readOther(
  origin: string,
  url: Url,
  hops: number,
  options: HostSession,
): Promise<RobotsAnswer | 'busy'> {
  const { parts, held, host } = options;
  const askedAtMs = parts.clock.now();
  const known = await knownCopy(origin, url, options);
  if (known) return known;
  const answer = await parts.link.leaseHost({
    worker: parts.worker,
    crawl: held.lease.crawl,
    host: hostOf(url),
  });
  if (answer.granted) return await readUnder({ ...answer, askedAtMs }, { origin, url, hops }, options);
  if ('refused' in answer) return refusedCopy(origin, answer.refused, parts.clock.wall());
  host.gapMs = Math.max(host.gapMs, Math.min(answer.retryAfterMs, BUSY_LOOK_MS));
  host.why = 'held';
  host.endedAtMs ??= parts.clock.now();
  return 'busy';
}

/** The usual case, `example.org` to `www.example.org`: what the other origin's robots.txt says is known already. */
async function knownCopy(
  origin: string,
  url: Url,
  { parts, context }: HostSession,
): Promise<RobotsAnswer | undefined> {
  const target = originOf(url);
  if (url !== `${target}/robots.txt`) return undefined;
  const copy = await parts.link.robots(target);
  const now = parts.clock.wall();
  if (!copy || copy.state === 'unreachable' || !isYoung(copy, now, context.job.robots.maxAgeMs))
    return undefined;
  const times = { startedAtMs: now, durationMs: 0 };
  return { kind: 'copy', copy: { ...copy, origin }, sitemaps: [], contacted: false, times };
}

async function readUnder(
  { lease, askedAtMs }: Extract<HostLeaseAnswer, { granted: true }> & { askedAtMs: number },
  { origin, url, hops }: { origin: string; url: Url; hops: number },
  options: HostSession,
): Promise<RobotsAnswer> {
  const { parts, context } = options;
  const { id, crawl, host, fence, part } = lease;
  // Nobody renews this lease.
  const { gapMs, connections } = paceOf(lease, context.job);
  const turn = turnUnder({ connections, deadlineMs: () => askedAtMs + lease.ttlMs, endsOn: [] }, options);
  const session = parts.fetch.open(host);
  const answer = await ask({ origin, url, hops, turn, session }, options).finally(() => session.close());
  const endedAtMs = answer.contacted ? parts.clock.now() + endMarginMs(gapMs) : null;
  const health = answer.kind === 'failed' || answer.kind === 'not-begun' ? 'wait' : 'ok';
  const news = { endedAtMs, gapMs, why: 'gap', health } as const;
  // Not waited for: until it is durable the other host just stays held.
  const report = { id, crawl, host, fence, part, settled: [], close: true, news };
  void parts.reporter.add(report).catch(() => undefined);
  return answer;
}

/** Rules that nobody may ask for cannot be read, and what cannot be read allows nothing. */
function refusedCopy(origin: string, detail: string, nowMs: number): RobotsAnswer {
  const copy = { origin, fetchedAtMs: nowMs, state: 'unreachable', body: '', detail } as const;
  const times = { startedAtMs: nowMs, durationMs: 0 };
  return { kind: 'copy', copy, sitemaps: [], contacted: false, times };
}

interface Hop {
  /** To the host of the URL. */
  session: FetchSession;
  origin: string;
  url: Url | undefined;
  hops: number;
  turn: TurnPolicy;
}

function ask(
  { session, origin, url, hops, turn }: Hop,
  { parts, context }: HostSession,
): Promise<RobotsAnswer> {
  return readRobots({
    session,
    files: parts.robotsFiles,
    clock: parts.clock,
    origin,
    ...(url === undefined ? {} : { url }),
    hops,
    headers: (at) => headersFor(context, at),
    allowPrivate: context.job.fetch.allowPrivate,
    ports: context.job.fetch.ports,
    proxyFor: context.proxyFor,
    // A lease is taken for as long as a page may take, so robots.txt may not take longer.
    timeoutMs: Math.min(context.job.fetch.timeoutMs, ROBOTS_TIMEOUT_MS),
    signal: parts.drop,
    turn,
  });
}
