import { z } from 'zod';
import { accountName, loginSite } from '../job/login-rule.ts';
import { httpUrl } from '../job/values.ts';
import { liveLoginEnds, liveViewPath } from './live-view.ts';
import { route } from './route.ts';

const family = 'site-logins';
const timeMs = z.number().describe('Milliseconds since 1970');
const params = z.strictObject({ login: z.string().min(1).max(100).describe('The id of the login') });
const shown = z.string().min(1).max(1_000).optional();

const host = z.int().describe('Of those that are due next, at most 1,000');

const accountUse = z
  .object({
    crawl: z.string().describe('The id of the crawl'),
    name: z.string(),
    state: z
      .enum(['in', 'out', 'absent', 'unused'])
      .describe(
        'in: pages are read with it; out: the session is lost, and the crawl waits; absent: the crawl names an account that is not there; unused: the crawl has not begun to use it',
      ),
    sinceMs: timeMs.optional().describe('Since when it is in, or out'),
    usedAtMs: timeMs.optional().describe('When a page was last asked for with it'),
    pages: z
      .int()
      .describe('Pages that were answered as to the account, since the worker began with the crawl'),
    why: z.string().optional().describe('What showed that it is logged out'),
    isChallenge: z.boolean().optional().describe('The site asks for proof of being human'),
    url: z.string().optional().describe('The page that was answered so'),
    hostsWaiting: host,
    urlsWaiting: z.int().describe('URLs that are queued for these hosts'),
  })
  .meta({ id: 'AccountUse' });
export type ApiAccountUse = z.infer<typeof accountUse>;

const siteAccount = z
  .object({
    site: z.string().describe('The domain that the account is for'),
    as: z.string().describe('The account, as jobs name it'),
    state: z
      .enum(['in', 'out', 'challenge', 'absent', 'idle'])
      .describe('The worst of its uses; idle: it is kept, and no running crawl names it'),
    keptAtMs: timeMs.optional().describe('When a person last logged in; absent: nobody has'),
    logInAt: z.string().describe('Where to log in again'),
    showing: z.string().optional().describe('The selector by which a job sees that it is logged in'),
    uses: z.array(accountUse),
  })
  .meta({ id: 'SiteAccount' });
export type ApiSiteAccount = z.infer<typeof siteAccount>;

const challenged = z
  .object({ crawl: z.string(), name: z.string(), urls: z.int().describe('That ended as refused(challenge)') })
  .meta({ id: 'ChallengedCrawl' });

const loginBrowsers = ['here', 'no-worker', 'no-browser'] as const;
/** Whether a person can log in in a browser of the coordinator's machine. */
export type LoginBrowser = (typeof loginBrowsers)[number];

const accountParams = z.strictObject({ site: loginSite, account: accountName });

const siteLogin = z
  .object({
    id: z.string(),
    url: z.string(),
    site: z.string().describe('The domain that the account is for'),
    as: z.string().describe('The account, as jobs name it'),
    state: z.enum(['open', ...liveLoginEnds]),
    isViewed: z.boolean().describe('A person has opened the view'),
    text: z.string().describe('What was kept, or why nothing was; empty while it is open'),
    endsAtMs: timeMs,
  })
  .meta({ id: 'SiteLogin' });
export type ApiSiteLogin = z.infer<typeof siteLogin>;

/** Accounts of sites, on the machine of a coordinator that also fetches. */
export const siteLoginRoutes = {
  showLiveView: route({
    method: 'GET',
    path: liveViewPath,
    scope: 'public',
    family,
    summary: 'Show the page of the live view, which does nothing without a ticket behind #',
    answer: { kind: 'text', type: 'text/html; charset=utf-8' },
  }),
  listSiteLogins: route({
    method: 'GET',
    path: '/v1/site-logins',
    scope: 'admin',
    family,
    summary: 'List the logins that are open, and those that ended lately',
    answer: { kind: 'json', status: 200, schema: z.object({ items: z.array(siteLogin) }) },
  }),
  openSiteLogin: route({
    method: 'POST',
    path: '/v1/site-logins',
    scope: 'admin',
    family,
    summary: 'Open a browser of the coordinator in which a person logs in to a site by a live view',
    body: z.strictObject({
      url: httpUrl.max(2_000).describe('Where to log in'),
      as: accountName.describe('The account, as jobs name it'),
      site: loginSite.optional().describe('The domain it is for; the registered domain of `url` when absent'),
      selector: shown.describe('The login is done when a page has an element that fits'),
      text: shown.describe('The login is done when a page has this text'),
    }),
    refusals: ['conflict', 'busy', 'no-browser'],
    answer: {
      kind: 'json',
      status: 201,
      schema: siteLogin
        .extend({
          view: z.string().describe('Path to open in a browser, with a ticket that works once'),
        })
        .meta({ id: 'NewSiteLogin' }),
    },
  }),
  listSiteAccounts: route({
    method: 'GET',
    path: '/v1/site-accounts',
    scope: 'admin',
    family,
    summary: 'List the accounts of sites on this coordinator, and how its crawls fare with them',
    answer: {
      kind: 'json',
      status: 200,
      schema: z
        .object({
          browser: z
            .enum(loginBrowsers)
            .describe('no-worker: the coordinator does not fetch itself; no-browser: its machine has none'),
          items: z.array(siteAccount),
          challenged: z
            .array(challenged)
            .describe('Running crawls that sites without an account have asked for proof of being human'),
          unlisted: z.int().describe('Accounts beyond the first 1,000'),
        })
        .meta({ id: 'SiteAccounts' }),
    },
  }),
  removeSiteAccount: route({
    method: 'DELETE',
    path: '/v1/site-accounts/{site}/{account}',
    scope: 'admin',
    family,
    summary: 'Remove an account from the machine of this coordinator',
    params: accountParams,
    answer: { kind: 'none' },
  }),
  getSiteLogin: route({
    method: 'GET',
    path: '/v1/site-logins/{login}',
    scope: 'admin',
    family,
    summary: 'Show whether a login is open, and how it ended',
    params,
    answer: { kind: 'json', status: 200, schema: siteLogin },
  }),
  cancelSiteLogin: route({
    method: 'DELETE',
    path: '/v1/site-logins/{login}',
    scope: 'admin',
    family,
    summary: 'Cancel a login: its browser is closed and nothing is kept',
    params,
    answer: { kind: 'none' },
  }),
};
