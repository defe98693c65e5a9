import type { Clock, HostKey, Job, Url } from '@webfarer/protocol';
import { WebfarerError } from '@webfarer/protocol';
import { loginCommand } from '@webfarer/protocol/job';
import { authorizationFor, hostOf, isInSite } from '@webfarer/protocol/url';
import type { CookieJar } from '../fetch/cookies.ts';
import type { Accounts } from './account.ts';
import { openSiteLogin, type SiteLogin } from './site-login.ts';

/** What requests of a crawl carry. */
export type Carried = {
  cookies?: CookieJar;
  /** The headers of a request, credentials among them. */
  headersTo: (url: Url) => [string, string][];
};

/** The same, and with it the account of each site that has one. */
export type CarriedAs = Carried & { logins: SiteLogins };

/** The accounts that a crawl reads pages with; of several for a site, one that speaks for it. */
export interface SiteLogins {
  /** The account for a host; undefined: pages are read without one. */
  of(host: HostKey): SiteLogin | undefined;
  /** All accounts for a host, in the order of the job. */
  all(host: HostKey): SiteLogin[];
  /** Every account that the job names. */
  every(): readonly SiteLogin[];
  /** What requests carry where this account speaks for its site. */
  as(login: SiteLogin): CarriedAs;
  save(): Promise<void>;
}

/** Throws where this machine has not what a login needs: its pages would be read as by a stranger. */
export async function openSiteLogins(
  job: Pick<Job, 'name' | 'login' | 'fetch'>,
  { accounts, clock }: { accounts: Accounts | undefined; clock: Clock },
): Promise<readonly SiteLogin[]> {
  const logins: SiteLogin[] = [];
  for (const rule of job.login) {
    if (!accounts) throw noAccounts(job.name);
    const { credentials } = job.fetch;
    const isOnly = job.login.filter(({ site }) => site === rule.site).length === 1;
    // Of several accounts each has only what names it.
    const own = credentials.filter(
      (one) =>
        isInSite(rule.site, hostOf(`${one.origin}/` as Url)) &&
        (isOnly || ('user' in one && one.user === rule.as)),
    );
    const source = accounts(rule);
    if (own.length === 0 && (await source.revision()) === undefined)
      throw new WebfarerError('usage', `there is no account ${rule.as} of ${rule.site} on this machine`, {
        next: `Log in first:  ${loginCommand(rule)}`,
      });
    logins.push(await openSiteLogin({ rule, source, credentials: own, clock }));
  }
  return logins;
}

/**
 * Puts accounts in the place of what a crawl carries to their sites. Their cookies are kept apart from all others: they
 * belong to the account, not to the crawl.
 */
export function carryLogins(plain: Carried, logins: readonly SiteLogin[], chosen?: SiteLogin): CarriedAs {
  const all = (host: HostKey) => logins.filter(({ rule }) => isInSite(rule.site, host));
  const of = (host: HostKey): SiteLogin | undefined =>
    chosen && isInSite(chosen.rule.site, host) ? chosen : all(host)[0];
  const at = (url: string) => of(hostOf(url as Url));
  const { cookies } = plain;
  return {
    ...(cookies ? { cookies: apart(cookies, at) } : {}),
    headersTo(url) {
      const authorization = authorizationFor(url, at(url)?.credentials ?? []);
      if (authorization === undefined) return plain.headersTo(url);
      const rest = plain.headersTo(url).filter(([name]) => name.toLowerCase() !== 'authorization');
      return [...rest, ['Authorization', authorization]];
    },
    logins: {
      of,
      all,
      every: () => logins,
      as: (login) => carryLogins(plain, logins, login),
      async save() {
        for (const login of logins) await login.save();
      },
    },
  };
}

function apart(others: CookieJar, at: (url: string) => SiteLogin | undefined): CookieJar {
  return {
    header: (url) => (at(url)?.cookies ?? others).header(url),
    store: (url, lines) => (at(url)?.cookies ?? others).store(url, lines),
    load: (cookies) => others.load(cookies),
    save: () => others.save(),
    get version() {
      return others.version;
    },
  };
}

function noAccounts(crawl: string): WebfarerError {
  return new WebfarerError(
    'usage',
    `the crawl ${crawl} reads pages with an account, and workers of a network have none`,
    {
      next: 'Run it on the machine that has the account:  webfarer run JOB.yml',
    },
  );
}
