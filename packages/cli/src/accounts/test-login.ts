import { type DatedClock, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import type { LoginRule } from '@webfarer/protocol/job';
import { authorizationFor, hostOf, isInSite } from '@webfarer/protocol/url';
import { locationOf, openSiteLogins, showsLoginForm } from '@webfarer/worker';
import { probePage } from '../crawling/page-probe.ts';
import type { AccountStore } from './account-store.ts';

/** What one request as the account showed. */
export interface LoginTest {
  verdict: 'in' | 'out' | 'unclear';
  why: string;
  status: number;
  title: string | undefined;
}

export interface LoginTestOptions {
  url: Url;
  rule: LoginRule;
  job: Job;
  userAgent: string;
  store: AccountStore;
  clock: DatedClock;
  signal: AbortSignal;
}

/** Asks for one page as a crawl with this account would, and looks whether it is one of the account. */
export async function testLogin(options: LoginTestOptions): Promise<LoginTest> {
  const { url, rule, job, userAgent, store, clock, signal } = options;
  const accounts = () => store.source(rule);
  const [login] = await openSiteLogins({ ...job, login: [rule] }, { accounts, clock });
  if (!login || !isInSite(rule.site, hostOf(url)))
    throw new WebfarerError('usage', `${url} is not a page of ${rule.site}`, {
      next: `Give --url a page of ${rule.site} that shows whether ${rule.as} is logged in.`,
    });
  const { cookies } = login;
  const headers: [string, string][] = [];
  const carried = { Cookie: cookies.header(url), Authorization: authorizationFor(url, login.credentials) };
  for (const [name, value] of Object.entries(carried)) if (value) headers.push([name, value]);
  const pageHeaders = { url, headers };
  const probe = await probePage({ url, job, seeds: [url], userAgent, clock, signal, pageHeaders });
  const { answer, document, robots } = probe;
  if (!answer)
    throw new WebfarerError(
      'nothing-allowed',
      `robots.txt does not allow ${url}: ${robots.verdict.rule ?? ''}`,
      {
        next: 'Give --url a page that may be fetched.',
      },
    );
  if (!answer.ok)
    throw new WebfarerError(
      'seed-refused',
      `${url} could not be fetched: ${answer.reason}: ${answer.detail}`,
      {
        next: 'Try again later.',
      },
    );
  // A site may give the session another name with every answer.
  const renewed = answer.headers
    .filter(([name]) => name.toLowerCase() === 'set-cookie')
    .map(([, value]) => value);
  if (renewed.length > 0) cookies.store(url, renewed);
  await login.save();
  const about = { status: answer.status, title: document?.title };
  const out = await login.sign.whyOut(answer);
  if (out !== undefined) return { ...about, verdict: 'out', why: out };
  const to = locationOf(answer);
  if (answer.status >= 300 && answer.status < 400 && to !== undefined)
    return { ...about, verdict: 'unclear', why: `sent to ${to}; test that page with --url` };
  if (answer.status >= 400) return { ...about, verdict: 'unclear', why: `answered ${answer.status}` };
  if (login.sign.isSeen) return { ...about, verdict: 'in', why: 'the page shows what was asked for' };
  if (document && showsLoginForm(document.text(), url))
    return { ...about, verdict: 'out', why: 'a page with a login form' };
  return { ...about, verdict: 'unclear', why: 'no login form is shown; --selector or --text would tell' };
}
