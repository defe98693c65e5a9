import type { FailedReason, Url } from '@webfarer/protocol';
import { obeysRobots } from '@webfarer/protocol/job';
import { originOf } from '@webfarer/protocol/url';
import type { FetchAnswer } from '../fetch/fetch.ts';
import { headersFor } from '../page/request.ts';
import { endMarginMs, type HostSession, ownLease, turnUnder } from './session.ts';

/**
 * Requests without an answer in a row after which robots.txt no longer speaks for the host: many servers answer it from a
 * cache while nothing else works.
 */
const failuresOfHost = 5;
const probeMs = 10_000;
const probeBytes = 65_536;

/**
 * What a failure says about its host. `answers`: the host answered a probe, so the failure is that URL's alone. `silent`: the
 * probe failed too, or there is nothing to probe. `unknown`: the session has to end before it could ask.
 */
export type HostVerdict = 'answers' | 'silent' | 'unknown';

/**
 * Asks the host once more where it answered before. One URL may hang, reset its connection or lie behind a closed port while
 * all others are fine: only a probe that fails as well makes it the host's trouble.
 *
 * @param origins whose robots.txt was answered, the one of the failed URL first
 */
async function probeHost(own: HostSession, origins: readonly string[]): Promise<HostVerdict> {
  const { held, parts, context, host } = own;
  const inRow = parts.answeredHosts.failed(held.lease);
  const page = parts.answeredHosts.lastPage(held.lease);
  const [origin] = origins;
  const asksRobots = obeysRobots(context.job, held.lease.host);
  if (asksRobots && origin === undefined) return 'silent';
  const url = inRow < failuresOfHost && asksRobots ? (`${origin}/robots.txt` as Url) : page;
  if (url === undefined) return 'silent';
  if (!(await own.pace())) return 'unknown';
  const answer = await request(own, url, url === page ? 'HEAD' : 'GET');
  if (!answer.ok && (answer.notBegun || parts.drop.aborted)) return 'unknown';
  if (answer.ok || answer.contacted) host.endedAtMs = parts.clock.now() + endMarginMs(host.gapMs);
  if (!answer.ok) return 'silent';
  answer.release();
  parts.network.succeeded(held.lease.host, answer.ip, url);
  return 'answers';
}

/**
 * What a failure says about its host, noted for the report on it. `offline`: our own network is away, so neither the URL nor its
 * host is charged.
 */
export async function judgeFailure(
  own: HostSession,
  { reason, detail }: { reason: FailedReason; detail: string },
  origins: readonly string[],
): Promise<HostVerdict | 'offline'> {
  const { parts, held, host } = own;
  const verdict = await probeHost(own, origins);
  if (verdict === 'answers') {
    host.health = 'ok';
    return verdict;
  }
  if ((await parts.network.judge(held.lease.host, reason)) === 'offline') {
    parts.wentOffline(parts.network.sentence());
    host.health = 'wait';
    return 'offline';
  }
  if (verdict === 'unknown') host.health = 'wait';
  else Object.assign(host, { health: 'trouble', reason, why: 'backoff', detail: `${reason}: ${detail}` });
  return verdict;
}

function request(own: HostSession, url: Url, method: 'GET' | 'HEAD'): Promise<FetchAnswer> {
  const { context, parts, held, asked, session } = own;
  const { fetch } = context.job;
  const proxy = context.proxyFor(url);
  return session.fetch({
    url,
    method,
    headers: headersFor(context, url),
    timeoutMs: Math.min(fetch.timeoutMs, probeMs),
    maxBytes: probeBytes,
    maxDecodedBytes: probeBytes,
    allowPrivate: fetch.allowPrivate,
    ports: fetch.ports,
    ...(proxy === undefined ? {} : { proxy }),
    signal: parts.drop,
    turn: turnUnder(ownLease(held, asked), { context, parts }),
  });
}

/** The origin of the URL first, if its robots.txt was answered, then others of the host. */
export function probedOrigins(url: Url, answered: Iterable<string>): string[] {
  const own = originOf(url);
  const all = [...answered];
  return [...all.filter((one) => one === own), ...all.filter((one) => one !== own)];
}

/** Origins of the host that answered, but for one. A lease may bring the robots.txt of that one alone. */
export function otherOrigins(
  { parts, held }: HostSession,
  origin: string,
  answered: Iterable<string>,
): string[] {
  const page = parts.answeredHosts.lastPage(held.lease);
  const all = page === undefined ? [...answered] : [...answered, originOf(page)];
  return all.filter((one) => one !== origin);
}
