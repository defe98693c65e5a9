import type { HostLease, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { FetchAnswer, FetchRequest } from '../fetch/fetch.ts';
import { holdLease } from './held-lease.ts';
import { cookieNews, keepCookies } from './kept-cookies.ts';
import { createPermits, type Permit } from './permits.ts';
import {
  endMarginMs,
  type HostSession,
  type HostState,
  newsOf,
  ownLease,
  paceOf,
  turnUnder,
} from './session.ts';

export interface SideRequest {
  url: Url;
  request: FetchRequest;
  /** It is left out if it cannot be begun by then. */
  untilMs: number;
  /** In the place of the operator who logs in: robots.txt, which is for crawlers, is not asked. */
  asPerson?: boolean;
}

/**
 * One request to a host that is not the session's own, for something that its page shows: under a short lease of that
 * host, with its robots.txt and its gap. Answers the reason where it was not sent.
 */
export async function loadElsewhere(side: SideRequest, own: HostSession): Promise<FetchAnswer | string> {
  const { parts, held } = own;
  const { clock } = parts;
  const host = hostOf(side.url);
  const isOver = (): boolean => clock.now() >= side.untilMs || side.request.signal.aborted;
  while (!isOver()) {
    const askedAtMs = clock.now();
    const answer = await parts.link.leaseHost({ worker: parts.worker, crawl: held.lease.crawl, host });
    if (answer.granted) return await loadUnder(answer.lease, askedAtMs, side, own);
    if ('refused' in answer) return answer.refused;
    const waitMs = Math.min(answer.retryAfterMs, side.untilMs - clock.now());
    if (answer.retryAfterMs > waitMs) break;
    await clock.sleep(Math.max(1, waitMs), side.request.signal).catch(() => undefined);
  }
  return `${host} could not be asked in time`;
}

const anyway: Permit = { kind: 'yes', crawlDelayMs: 0 };

async function loadUnder(
  lease: HostLease,
  askedAtMs: number,
  { url, request, untilMs, asPerson = false }: SideRequest,
  own: HostSession,
): Promise<FetchAnswer | string> {
  const { parts, context } = own;
  const { clock } = parts;
  const held = holdLease(lease, askedAtMs);
  const asked = paceOf(lease, context.job);
  const host: HostState = { endedAtMs: null, gapMs: asked.gapMs, why: 'gap', health: 'none' };
  const session = parts.fetch.open(lease.host);
  // Nobody renews this lease: what it does not last for is not begun.
  async function pace(): Promise<boolean> {
    const dueMs = host.endedAtMs === null ? 0 : host.endedAtMs + host.gapMs;
    if (dueMs > untilMs || dueMs + request.timeoutMs > held.deadlineMs) return false;
    if (dueMs > clock.now()) await clock.sleep(dueMs - clock.now(), request.signal).catch(() => undefined);
    return !request.signal.aborted && clock.now() + request.timeoutMs < held.deadlineMs;
  }
  const side: HostSession = { held, context, parts, host, asked, session, pace };
  const permits = createPermits(side);
  try {
    const permit = asPerson ? anyway : await permits.ask(url);
    if (permit.kind !== 'yes')
      return permit.kind === 'no' ? 'robots.txt' : 'robots.txt could not be read yet';
    if (!(await pace())) return `${lease.host} could not be asked in time`;
    const answer = await session.fetch({ ...request, turn: turnUnder(ownLease(held, asked), side) });
    if (answer.ok) {
      host.health = 'ok';
      keepCookies({ context, held }, url, answer);
    }
    if (answer.ok || answer.contacted) {
      host.gapMs = Math.max(asked.gapMs, permit.crawlDelayMs);
      host.endedAtMs = clock.now() + endMarginMs(host.gapMs);
    }
    return answer;
  } finally {
    session.close();
    const { robots } = permits.news();
    const { id, crawl, fence } = held.ref;
    const learnt = {
      ...(robots.length > 0 ? { robots } : {}),
      ...cookieNews(held),
    };
    const report = {
      id,
      crawl,
      host: lease.host,
      fence,
      part: lease.part,
      settled: [],
      close: true,
      news: newsOf(host),
      ...learnt,
    };
    // Not waited for: until it is durable the other host just stays held.
    void parts.reporter.add(report).catch(() => undefined);
  }
}
