import type { Entry, FailedReason, HostPace, RefusedReason, Settlement } from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import { targetOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import {
  type FetchAnswer,
  type FetchedPage,
  type FetchFailure,
  type FetchSession,
  header,
} from '../fetch/fetch.ts';
import type { HeldLease } from './held-lease.ts';
import { ERRORS_OF_HOST } from './server-errors.ts';
import { backOffMs } from './url-rests.ts';
import { type HostState, ownLease, restHost, type SessionParts, type Step, turnUnder } from './session.ts';
import { redirected, urlOf } from '../page/asked.ts';
import { settlePage } from '../page/pipeline.ts';
import { outcome, recordOf } from '../page/records.ts';
import { requestFor } from '../page/request.ts';
import { blame, meaningOf, retryAfterMs } from '../page/verdict.ts';

export interface FetchEntryOptions {
  entry: Entry;
  context: CrawlContext;
  parts: SessionParts;
  host: HostState;
  session: FetchSession;
  held: HeldLease;
  /** How the host is to be treated. */
  asked: HostPace;
  crawlDelayMs: number;
  /** A cookie wall or a refused HEAD was met on this URL a moment ago; it is not tried a third time. */
  askedAgain?: boolean;
}

/**
 * We see the end of an answer when its last byte arrives; the host may put it a moment later, when it has done with it,
 * and on a busy machine that takes some milliseconds. The gap is promised as measured at the host.
 */
export function endMarginMs(gapMs: number): number {
  return gapMs > 0 ? Math.min(25, Math.max(2, gapMs / 100)) : 0;
}

/** A host that answers in ten minutes should not be asked again in half an hour. */
const SLOW_GAP_MAX_MS = 60_000;

/** Fetches one permitted URL, works out what became of it, and what the host is owed after it. */
export async function fetchEntry(options: FetchEntryOptions): Promise<Step> {
  const { entry, context, parts, session } = options;
  parts.inFlight(1);
  let answer: FetchAnswer;
  try {
    const { askedAgain: headRefused, held } = options;
    const turn = turnUnder(ownLease(held, options.asked), options);
    answer = await session.fetch(requestFor(context, entry, { signal: parts.drop, turn, headRefused }));
  } finally {
    parts.inFlight(-1);
  }
  if (answer.ok || answer.contacted) noteEnd(options, answer);
  // Dropped on purpose, or never sent: nothing is charged, the URL goes back as it was.
  if (!answer.ok && (parts.drop.aborted || answer.notBegun)) return { settled: [], goOn: false };
  try {
    return answer.ok ? await answered(options, answer) : await failed(options, answer);
  } finally {
    if (answer.ok) answer.release();
  }
}

/** The gap runs from here: as long as the policy, a host rule, the site's crawl-delay and its slowness ask for. */
function noteEnd(
  { context, parts, host, asked, crawlDelayMs }: FetchEntryOptions,
  answer: FetchAnswer,
): void {
  const { slowFactor } = context.job.politeness;
  const { gapMs } = asked;
  const slowMs = Math.min(answer.durationMs * slowFactor, SLOW_GAP_MAX_MS);
  delete host.reason;
  delete host.detail;
  host.gapMs = Math.max(gapMs, crawlDelayMs, slowMs);
  host.endedAtMs = parts.clock.now() + endMarginMs(host.gapMs);
  host.why = host.gapMs === gapMs ? 'gap' : host.gapMs === crawlDelayMs ? 'crawl-delay' : 'slow';
  explainGap(host, asked);
}

/** Where a host rule makes the pause as long as it is, it is named. */
export function explainGap(host: HostState, { gapMs, rule }: HostPace): void {
  if (rule === undefined || host.gapMs !== gapMs) return;
  host.why = 'rule';
  host.detail = rule;
}

async function answered(options: FetchEntryOptions, page: FetchedPage): Promise<Step> {
  const { entry, context, parts, host } = options;
  const { retries } = context.job.fetch;
  host.health = 'ok';
  parts.network.succeeded(options.held.lease.host, page.ip, page.url);
  const newCookies = keepCookies(options, page);

  if (page.truncated === 'disconnect' || page.truncated === 'time') {
    const [reason, detail] =
      page.truncated === 'time'
        ? (['timeout', 'the response was too slow'] as const)
        : (['connection-reset', 'the response ended early'] as const);
    const { startedAtMs, durationMs } = page;
    return await failed(options, { ok: false, reason, detail, contacted: true, startedAtMs, durationMs });
  }
  if (entry.kind === 'check' && !options.askedAgain && refusesHead(page.status))
    return { settled: [], goOn: true, again: true };
  const meaning = meaningOf(page.status, header(page, 'location') !== undefined);
  if (meaning.kind === 'again') {
    const goOn = !hostMustRest(options, page, meaning.reason);
    if (entry.attempt < retries.count) {
      return {
        settled: [{ kind: 'retry', url: entry.url, reason: meaning.reason, detail: `${page.status}` }],
        goOn,
      };
    }
    const settled = await settlePage({ context, entry, page, parts, failed: meaning.reason });
    return { settled: [settled], goOn };
  }
  parts.serverErrors.clear(options.held.lease.host);
  if (meaning.kind === 'redirect' && newCookies && !options.askedAgain && leadsToItself(options, page))
    return { settled: [], goOn: true, again: true };
  return { settled: [await settlePage({ context, entry, page, parts })], goOn: true };
}

/** Statuses by which a server speaks for all of its pages. */
const WHOLE_HOST = new Set([429, 503]);

/**
 * One page that answers 500 is that page's trouble: it backs off (see `UrlRests`) while others are fetched. The host
 * rests where the answer speaks for all of it (429, 503, Retry-After) and after several errors in a row.
 */
function hostMustRest(
  options: FetchEntryOptions,
  page: FetchedPage,
  reason: Extract<FailedReason, 'http-429' | 'http-5xx'>,
): boolean {
  const { entry, context, parts, host, held } = options;
  const { retries } = context.job.fetch;
  const now = parts.clock.now();
  const inRow = parts.serverErrors.add(held.lease.host);
  const asked = retryAfterMs(header(page, 'retry-after'), now, context.job.politeness.retryAfterMaxMs);
  const rest = (ms: number, why: 'backoff' | 'retry-after', detail: string) =>
    restHost(host, { untilMs: (host.endedAtMs ?? now) + ms, why, reason, detail });
  const backOff = (doublings: number) =>
    rest(backOffMs(retries.backoffMs, doublings), 'backoff', `answered ${page.status}`);

  if (asked !== undefined)
    rest(asked, 'retry-after', `${page.status}, Retry-After ${Math.ceil(asked / 1_000)}`);
  else if (WHOLE_HOST.has(page.status)) backOff(entry.attempt);
  else if (inRow >= ERRORS_OF_HOST) backOff(Math.max(entry.attempt, inRow - ERRORS_OF_HOST));
  else return false;
  return true;
}

/** Many servers answer HEAD with an error where GET would show the page: only GET is believed then. */
function refusesHead(status: number): boolean {
  return status === 501 || (status >= 400 && status < 500 && ![401, 407, 410, 429, 451].includes(status));
}

/** True when the next request for this URL will carry other cookies than this one did. */
function keepCookies({ context, entry, held }: FetchEntryOptions, page: FetchedPage): boolean {
  const { cookies } = context;
  const url = targetOf(entry.url);
  const set = page.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  if (!cookies || set.length === 0) return false;
  const before = cookies.header(url);
  cookies.store(url, set);
  // One that was sent already and is only set again is no news to anybody.
  const sent = new Set(before?.split('; '));
  const lines = set.filter((line) => !sent.has(line.split(';', 1)[0]?.trim() ?? ''));
  if (lines.length > 0) held.cookies.push({ url, lines: lines.slice(0, frameBounds.cookies) });
  return cookies.header(url) !== before;
}

/** A cookie wall: the page comes once the cookie is shown, and its own URL is known already. */
function leadsToItself({ context, entry }: FetchEntryOptions, page: FetchedPage): boolean {
  const from = targetOf(entry.url);
  const to = context.normalise(header(page, 'location') ?? '', from);
  if (to === undefined) return false;
  return urlOf(to, redirected(entry.request, { status: page.status, from, to })) === entry.url;
}

async function failed(options: FetchEntryOptions, failure: FetchFailure): Promise<Step> {
  const { entry, context, parts, host } = options;
  const { reason, detail } = failure;
  if (reason === 'private-address' || reason === 'port') {
    return { settled: [ended(entry, failure, 'refused', reason)], goOn: true };
  }
  const fault = blame[reason];
  if (fault === 'host' || fault === 'both') {
    if ((await parts.network.judge(options.held.lease.host, reason)) === 'offline') {
      parts.wentOffline(parts.network.sentence());
      host.health = 'wait';
      return { settled: [], goOn: false };
    }
    Object.assign(host, { health: 'trouble', reason, why: 'backoff', detail: `${reason}: ${detail}` });
  }
  if (fault === 'host') return { settled: [], goOn: false };
  const goOn = fault !== 'both';
  if (fault !== 'none' && entry.attempt < context.job.fetch.retries.count) {
    return { settled: [{ kind: 'retry', url: entry.url, reason, detail }], goOn };
  }
  return { settled: [ended(entry, failure, 'failed', reason)], goOn };
}

function ended(
  entry: Entry,
  failure: FetchFailure,
  verdict: 'failed' | 'refused',
  reason: FailedReason | RefusedReason,
): Settlement {
  return outcome(recordOf(entry, { verdict, reason, detail: failure.detail, times: failure, charged: true }));
}
