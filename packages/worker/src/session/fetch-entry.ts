import type { Entry, FailedReason, HostPace, RefusedReason, RenderWhy, Settlement } from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import { targetOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import {
  type FetchAnswer,
  type FetchedPage,
  type FetchFailure,
  type FetchRequest,
  type FetchSession,
  type FetchTimes,
  header,
} from '../fetch/fetch.ts';
import { locationOf } from '../bytes/headers.ts';
import type { HeldLease } from './held-lease.ts';
import { keepCookies } from './kept-cookies.ts';
import { loggedOut, withoutSession } from './logged-out.ts';
import { CHALLENGES_OF_HOST } from './challenged-hosts.ts';
import { ERRORS_OF_HOST } from './server-errors.ts';
import { judgeFailure, probedOrigins } from './host-probe.ts';
import { isShown, type PageActs, type Visits } from './visits.ts';
import { backOffMs } from './url-rests.ts';
import {
  endMarginMs,
  type HostSession,
  type HostState,
  ownLease,
  restHost,
  type SessionParts,
  type Step,
  turnUnder,
} from './session.ts';
import { redirected, urlOf } from '../page/asked.ts';
import { choose, learnFrom, type PlainPage } from '../page/choose-render.ts';
import { findChallenge, type SettleOptions, settlePage } from '../page/pipeline.ts';
import { outcome, recordOf, toTryAgain } from '../page/records.ts';
import { requestFor } from '../page/request.ts';
import { blame, isSilence, meaningOf, retryAfterMs } from '../page/verdict.ts';
import { visitOf } from '../scrape/in-browser.ts';
import type { SiteLogin } from '../site-login/site-login.ts';

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
  /** Those of the host whose robots.txt was answered. */
  answeredOrigins: () => Iterable<string>;
  /** Undefined: pages are read as they come. */
  visits: Visits | undefined;
  /** The account that the host is read with. */
  login: SiteLogin | undefined;
  /** The session that all of it belongs to. */
  own: HostSession;
  /** A cookie wall or a refused HEAD was met on this URL a moment ago; it is not tried a third time. */
  askedAgain?: boolean;
}

/** A host that answers in ten minutes should not be asked again in half an hour. */
const SLOW_GAP_MAX_MS = 60_000;

/** Fetches one permitted URL, works out what became of it, and what the host is owed after it. */
export async function fetchEntry(options: FetchEntryOptions): Promise<Step> {
  const { entry, context, parts, session } = options;
  const epoch = options.login?.epoch ?? 0;
  parts.inFlight(1);
  let answer: FetchAnswer;
  try {
    const { askedAgain: headRefused, held } = options;
    const turn = turnUnder(ownLease(held, options.asked), options);
    const request = requestFor(context, entry, { signal: parts.drop, turn, headRefused });
    answer = await fetchTraced(parts, session, request);
  } finally {
    parts.inFlight(-1);
  }
  noteWait(options, answer);
  if (answer.ok || answer.contacted) {
    noteEnd(options, answer);
    measure(options, answer);
  }
  // Dropped on purpose, never sent, or late because of this machine: nothing is charged, the URL goes back as it was.
  if (!answer.ok && (parts.drop.aborted || answer.notBegun)) return { settled: [], goOn: false };
  try {
    return answer.ok ? await answered(options, answer, epoch) : await failed(options, answer);
  } finally {
    if (answer.ok) answer.release();
  }
}

/** Clocks may be set meanwhile: a wait is never negative, and never longer than the link carries. */
function noteWait({ held, parts: { clock } }: FetchEntryOptions, { startedAtMs, phases }: FetchAnswer): void {
  // The request is dated by the wall clock.
  const waitedMs = startedAtMs - (clock.wall() - clock.now()) - held.askedAtMs;
  if (phases) phases.waitedMs = Math.min(Math.max(0, waitedMs), frameBounds.spanMs);
}

async function fetchTraced(
  { tracing }: SessionParts,
  session: FetchSession,
  request: FetchRequest,
): Promise<FetchAnswer> {
  const about = () => ({ 'http.request.method': request.method });
  return await tracing.run('webfarer.fetch', about, async (span) => {
    const answer = await session.fetch(request);
    span.set(
      answer.ok
        ? { 'http.response.status_code': answer.status, 'http.response.body.size': answer.body.length }
        : { 'error.type': answer.reason },
    );
    return answer;
  });
}

/** The gap runs from here: as long as the policy, a host rule, the site's crawl-delay and its slowness ask for. */
function noteEnd(options: FetchEntryOptions, { durationMs, ownMs = 0 }: FetchAnswer): void {
  const { context, parts, host } = options;
  const { slowFactor } = context.job.politeness;
  delete host.reason;
  delete host.detail;
  setGap(options, Math.min((durationMs - ownMs) * slowFactor, SLOW_GAP_MAX_MS));
  host.endedAtMs = parts.clock.now() + endMarginMs(host.gapMs);
}

/** `slowMs`: what the slowness of the host adds. */
function setGap({ host, asked, crawlDelayMs }: FetchEntryOptions, slowMs: number): void {
  const { gapMs } = asked;
  host.gapMs = Math.max(gapMs, crawlDelayMs, slowMs);
  host.why = host.gapMs === gapMs ? 'gap' : host.gapMs === crawlDelayMs ? 'crawl-delay' : 'slow';
  explainGap(host, asked);
}

/** What the host took, and what it is given. */
function measure({ parts: { metrics }, host }: FetchEntryOptions, answer: FetchAnswer): void {
  const result = answer.ok ? 'ok' : 'failed';
  metrics.observe('webfarer_worker_fetch_seconds', { result }, answer.durationMs / 1_000);
  metrics.observe('webfarer_worker_gap_seconds', { cause: host.why }, host.gapMs / 1_000);
}

/** Where a host rule makes the pause as long as it is, it is named. */
export function explainGap(host: HostState, { gapMs, rule }: HostPace): void {
  if (rule === undefined || host.gapMs !== gapMs) return;
  host.why = 'rule';
  host.detail = rule;
}

/** `epoch`: the login that the request was made with. */
async function answered(options: FetchEntryOptions, page: FetchedPage, epoch: number): Promise<Step> {
  const { entry, context, parts, host, login } = options;
  const { retries } = context.job.fetch;
  host.health = 'ok';
  parts.network.succeeded(options.held.lease.host, page.ip, page.url);
  const newCookies = keepCookies(options, targetOf(entry.url), page);

  if (page.truncated === 'disconnect' || page.truncated === 'time') {
    const [reason, detail] =
      page.truncated === 'time'
        ? (['timeout', 'the response was too slow'] as const)
        : (['connection-reset', 'the response ended early'] as const);
    return await failed(options, { ok: false, reason, detail, contacted: true, ...timesOf(page) });
  }
  if (entry.kind === 'check' && !options.askedAgain && refusesHead(page.status))
    return { settled: [], goOn: true, again: true };
  const meaning = meaningOf(page.status, locationOf(page) !== undefined);
  const { visits } = options;
  const isToBeShown = visits !== undefined && meaning.kind === 'content' && isShown(entry, page);
  if (login) {
    const refused = isToBeShown ? login.sign.refusal(page) : await login.sign.whyOut(page);
    const challenge = await challengeOf(page);
    const why = challenge ?? refused;
    const answer = { page, isChallenge: challenge !== undefined, epoch };
    const step = why === undefined ? undefined : await loggedOut(options, login, { ...answer, why });
    if (step) return step;
    if (why === undefined && !isToBeShown && meaning.kind === 'content') login.proven(targetOf(entry.url));
  }
  // A second try would bring one more challenge.
  if (meaning.kind === 'again' && (await findChallenge(page))) return await settled(options, page);
  if (meaning.kind === 'again') {
    const goOn = !hostMustRest(options, page, meaning.reason);
    if (entry.attempt < retries.count) {
      return {
        settled: [toTryAgain(entry, page, { reason: meaning.reason, detail: `${page.status}` })],
        goOn,
      };
    }
    return { settled: [await settle(options, page, { failed: meaning.reason })], goOn };
  }
  parts.serverErrors.clear(options.held.lease.host);
  if (entry.request === undefined) parts.answeredHosts.answered(options.held.lease, targetOf(entry.url));
  if (meaning.kind === 'redirect' && newCookies && !options.askedAgain && leadsToItself(options, page))
    return { settled: [], goOn: true, again: true };
  if (!isToBeShown) return await settled(options, page);
  const { render, rule } = context.choice.wish(targetOf(entry.url));
  // A rule that keeps a page from being shown keeps anything from being done on it.
  const acts = render === 'never' && rule !== undefined ? noActs : actsOn(context, entry);
  const actWhy = acts.steps.length > 0 ? 'steps' : acts.handler ? 'handler' : undefined;
  const plain = render === 'auto' && !actWhy ? await choose(context, entry, page) : undefined;
  const renderedWhy = actWhy ?? plain?.decision.why ?? (rule === undefined ? undefined : 'rule');
  const isWanted = actWhy !== undefined || (plain ? plain.decision.show : render === 'always');
  // Whether the account is logged in may show only in a browser.
  if (!isWanted && (await login?.sign.whyOut(page)) === undefined) {
    login?.proven(targetOf(entry.url));
    return await settled(options, page, renderedWhy);
  }
  // A browser might solve a challenge.
  if (await findChallenge(page)) return await settled(options, page, renderedWhy);
  return await shown(options, { page, acts, plain, renderedWhy, epoch }, visits);
}

const noActs: PageActs = { steps: [], handler: undefined };

function actsOn({ stepsFor, browserHandler }: CrawlContext, entry: Entry): PageActs {
  const own = browserHandler(entry);
  return {
    steps: stepsFor(targetOf(entry.url)),
    handler: own && ((browser, signal) => own(browser, visitOf(entry, signal))),
  };
}

async function settle(
  { context, entry, parts, login }: FetchEntryOptions,
  page: FetchedPage,
  how: Pick<SettleOptions, 'failed' | 'renderedWhy'> = {},
): Promise<Settlement> {
  return await settlePage({ context, entry, page: login ? withoutSession(page) : page, parts, ...how });
}

/** With an account a person can pass a challenge, and the session that they get is the account's. */
async function challengeOf(page: FetchedPage): Promise<string | undefined> {
  const found = await findChallenge(page);
  return found && `a challenge of ${found.by}`;
}

/** A page that is to be shown, and why. */
interface Choice {
  page: FetchedPage;
  acts: PageActs;
  plain: PlainPage | undefined;
  renderedWhy: RenderWhy | undefined;
  /** The login that it was asked for with. */
  epoch: number;
}

/** The page with what a browser makes of it. The gap runs from the last request of the visit. */
async function shown(
  options: FetchEntryOptions,
  { page, acts, plain, renderedWhy, epoch }: Choice,
  visits: Visits,
): Promise<Step> {
  const { entry, context, parts, login } = options;
  parts.inFlight(1);
  const seen = await visits.show(page, acts).finally(() => parts.inFlight(-1));
  noteEnd(options, page);
  if (parts.drop.aborted) return { settled: [], goOn: false };
  if (seen.ok) {
    const { rendered } = seen.page;
    if (login && rendered) {
      const why = await login.sign.whyOutShown(page.url, rendered);
      const answer = { page, isChallenge: false, epoch };
      const step = why === undefined ? undefined : await loggedOut(options, login, { ...answer, why });
      if (step) return step;
      if (why === undefined) login.proven(targetOf(entry.url));
    }
    if (plain && rendered) learnFrom(context, entry, plain, rendered);
    return await settled(options, seen.page, renderedWhy);
  }
  const { reason, detail } = seen;
  return await failed(options, { ok: false, reason, detail, contacted: true, ...timesOf(page) });
}

async function settled(
  options: FetchEntryOptions,
  page: FetchedPage,
  renderedWhy?: RenderWhy,
): Promise<Step> {
  const one = await settle(options, page, { renderedWhy });
  return { settled: [one], goOn: !isTurnedAway(options, one) };
}

/**
 * After a challenge the host rests, longer with each one in a row. After some it is left alone: its other URLs are refused
 * without a request (see `ChallengedHosts`), so the session continues.
 */
function isTurnedAway({ context, parts, host, held }: FetchEntryOptions, one: Settlement): boolean {
  const { crawl } = held.ref;
  if (one.kind !== 'outcome' || one.record.reason !== 'challenge') {
    parts.challenged.clear(crawl, held.lease.host);
    return false;
  }
  const now = parts.clock.now();
  const inRow = parts.challenged.add(crawl, held.lease.host, now);
  const restMs = backOffMs(context.job.fetch.retries.backoffMs, inRow - 1);
  const detail = `challenge: ${one.record.detail ?? ''}`;
  restHost(host, { untilMs: (host.endedAtMs ?? now) + restMs, why: 'backoff', detail });
  return inRow < CHALLENGES_OF_HOST;
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

/** A cookie wall: the page comes once the cookie is shown, and its own URL is known already. */
function leadsToItself({ context, entry }: FetchEntryOptions, page: FetchedPage): boolean {
  const from = targetOf(entry.url);
  const to = context.normalise(locationOf(page) ?? '', from);
  if (to === undefined) return false;
  return urlOf(to, redirected(entry.request, { status: page.status, from, to })) === entry.url;
}

async function failed(options: FetchEntryOptions, failure: FetchFailure): Promise<Step> {
  const { entry, context } = options;
  const { reason, detail } = failure;
  if (reason === 'private-address' || reason === 'port') {
    return { settled: [ended(entry, failure, 'refused', reason)], goOn: true };
  }
  const fault = blame[reason];
  let goOn = true;
  if (isSilence(reason)) {
    // How long one URL kept us waiting says nothing about the pace of its host.
    setGap(options, 0);
    const origins = probedOrigins(targetOf(entry.url), options.answeredOrigins());
    const verdict = await judgeFailure(options.own, { reason, detail }, origins);
    goOn = verdict === 'answers';
    if (verdict === 'offline') return { settled: [], goOn };
    if (fault === 'host' && !goOn) return { settled: [], goOn };
  }
  if (fault !== 'none' && entry.attempt < context.job.fetch.retries.count) {
    return { settled: [toTryAgain(entry, failure, { reason, detail })], goOn };
  }
  return { settled: [ended(entry, failure, 'failed', reason)], goOn };
}

/** Of an answer that counts for nothing: how long it took stays. */
function timesOf({ startedAtMs, durationMs, ownMs, phases }: FetchTimes): FetchTimes {
  const own = ownMs === undefined ? {} : { ownMs };
  return { startedAtMs, durationMs, ...own, ...(phases === undefined ? {} : { phases }) };
}

function ended(
  entry: Entry,
  failure: FetchFailure,
  verdict: 'failed' | 'refused',
  reason: FailedReason | RefusedReason,
): Settlement {
  return outcome(recordOf(entry, { verdict, reason, detail: failure.detail, times: failure, charged: true }));
}
