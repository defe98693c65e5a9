import { z } from 'zod';
import { accountName, loginSite } from '../job/login-rule.ts';
import { httpUrl } from '../job/values.ts';
import { liveLoginEnds, liveViewPath } from './live-view.ts';
import { route } from './route.ts';

const family = 'site-logins';
const timeMs = z.number().describe('Milliseconds since 1970');
const params = z.strictObject({ login: z.string().min(1).max(100).describe('The id of the login') });
const shown = z.string().min(1).max(1_000).optional();

const siteLogin = z
  .object({
    id: z.string(),
    url: z.string(),
    site: z.string().describe('The domain that the account is for'),
    as: z.string().describe('The account, as jobs name it'),
    state: z.enum(['open', ...liveLoginEnds]),
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
