import type { Entry, Settlement } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';
import type { Exchange, FetchedPage } from '../fetch/fetch.ts';
import { findChallenge } from '../page/pipeline.ts';
import { outcome, recordOf } from '../page/records.ts';
import type { SiteLogin } from '../site-login/site-login.ts';
import { createLoginWay } from './login-requests.ts';
import { type HostSession, restHost, type Step } from './session.ts';

export interface LoggedOutOptions {
  entry: Entry;
  own: HostSession;
  /** It was asked for a moment ago, with the same answer. */
  askedAgain?: boolean;
}

export interface LoggedOutAnswer {
  page: FetchedPage;
  /** What says that the account was logged out. */
  why: string;
  /** It is a page that asks for proof of being human. */
  isChallenge: boolean;
  /** The login that the request was made with. */
  epoch: number;
}

/**
 * An answer as to a visitor is no page of the crawl: its URL goes back as it was, and with it the host, unless another
 * page shows that the account is logged in and only this page is shown to nobody. Undefined: it is to be settled as it is.
 */
export async function loggedOut(
  options: LoggedOutOptions,
  login: SiteLogin,
  { page, why, isChallenge, epoch }: LoggedOutAnswer,
): Promise<Step | undefined> {
  const { entry, own } = options;
  const url = targetOf(entry.url);
  const back: Step = { settled: [], goOn: false };
  // The account has logged in since, or is known to be out: this answer is no news.
  if (login.epoch !== epoch) return { settled: [], goOn: true };
  if (!login.isIn) {
    restForLogin(own, login);
    return back;
  }
  const others = await lookAtKnown(options, login);
  if (others === 'unknown') return back;
  const isAlone = others === 'in' && (login.sign.isSeen ? options.askedAgain : login.isHopeless(url));
  if (isAlone) {
    const isShown = login.sign.isSeen && login.sign.refusal(page) === undefined;
    return refusedAlone(options, page, isShown ? `${why}, ${publicHint}` : why);
  }
  if (others === 'in' && login.sign.isSeen) return { settled: [], goOn: true, again: true };
  if (others === 'none' && login.isHopeless(url)) return refusedAlone(options, page, why);
  login.lose({ why, isChallenge, url });
  restForLogin(own, login);
  return back;
}

const publicHint = 'though the account is logged in: if anyone may read this page, limit check.pages';

/** How a page is answered now that was answered as to the account before. */
async function lookAtKnown(
  { own }: LoggedOutOptions,
  login: SiteLogin,
): Promise<'in' | 'out' | 'none' | 'unknown'> {
  const known = login.knownPage(own.held.lease.host);
  if (known === undefined) return 'none';
  const answer = await createLoginWay(own).ask(known);
  if (typeof answer !== 'string' && (await findChallenge(answer))) return 'out';
  if (typeof answer === 'string' || answer.status >= 500 || answer.status === 429) return 'unknown';
  return (await login.sign.whyOut(answer)) === undefined ? 'in' : 'out';
}

/** A status says itself what became of the page; what looks like a page is none that the account may read. */
function refusedAlone({ entry }: LoggedOutOptions, page: FetchedPage, why: string): Step | undefined {
  if (page.status >= 400) return undefined;
  const facts = { verdict: 'failed', reason: 'login', detail: why, times: page, charged: true } as const;
  const settled: Settlement = outcome(recordOf(entry, facts));
  return { settled: [settled], goOn: true };
}

/**
 * The host waits until it is worth looking whether the account is back; never less than its gap, and not longer where
 * another account goes on: that it waits is how a person is told.
 */
export function restForLogin({ context, held, host, parts }: HostSession, login: SiteLogin): void {
  const nowMs = parts.clock.now();
  const isAlone = !context.logins?.all(held.lease.host).some(({ isIn }) => isIn);
  host.endedAtMs ??= nowMs;
  const untilMs = Math.max(nowMs + (isAlone ? login.restMs() : 0), host.endedAtMs + host.gapMs + 1);
  restHost(host, { untilMs, why: 'login', detail: login.trouble() });
}

/** What the site renews the account with stays out of archives and handlers; that it was there is said. */
export function withoutSession(page: FetchedPage): FetchedPage {
  return { ...masked(page), others: page.others.map((one) => masked(one)) };
}

function masked<E extends Exchange>(exchange: E): E {
  const headers = exchange.headers.map(([name, value]): [string, string] =>
    name.toLowerCase() === 'set-cookie' ? ['X-Crawler-Omitted', 'Set-Cookie'] : [name, value],
  );
  return { ...exchange, headers };
}
