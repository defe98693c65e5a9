import type { HostKey, Job, Url } from '@webfarer/protocol';
import type { LoginUse } from '@webfarer/protocol/crawl';
import type { ApiAccountUse, ApiSiteAccount, LoginBrowser } from '@webfarer/protocol/api';
import { hostOf, isInSite } from '@webfarer/protocol/url';
import type { Crawl } from '../crawl/crawl.ts';
import type { LiveLogin } from './live-login.ts';

/** Accounts of sites that are kept on this machine, by name: what opens them stays where it is. */
export interface SiteAccounts {
  list(): Promise<{ site: string; as: string; savedAtMs: number }[]>;
  /** False: there was none. */
  remove(account: { site: string; as: string }): Promise<boolean>;
  /** How the crawls of this process fare with them. */
  uses(): LoginUse[];
  /** Whether a person can log in in a browser of this machine. */
  browser(): LoginBrowser;
}

/** Of a coordinator that fetches nothing itself. */
export const noSiteAccounts: SiteAccounts = {
  list: () => Promise.resolve([]),
  remove: () => Promise.resolve(false),
  uses: () => [],
  browser: () => 'no-worker',
};

export interface AccountsAsked {
  accounts: SiteAccounts;
  /** Those that are open here. */
  crawls: readonly Crawl[];
  /** Also those that have ended: where a person logged in the last time. */
  logins: readonly LiveLogin[];
}

/** Hosts of one crawl among which those are counted that wait for a login. */
const HOSTS_COUNTED = 1_000;

/** Every account that is kept here or that a crawl here names, by site and name. */
export async function accountsNow({ accounts, crawls, logins }: AccountsAsked): Promise<ApiSiteAccount[]> {
  const found = new Map<string, ApiSiteAccount>();
  const ofName = ({ site, as }: { site: string; as: string }): ApiSiteAccount => {
    const key = `${site}\n${as}`;
    const known = found.get(key);
    if (known) return known;
    const made: ApiSiteAccount = { site, as, state: 'idle', logInAt: `https://${site}/`, uses: [] };
    found.set(key, made);
    return made;
  };
  for (const { site, as, savedAtMs } of await accounts.list()) ofName({ site, as }).keptAtMs = savedAtMs;
  // A page that a person chose is a better place to log in than the front page.
  for (const { wish } of logins) {
    const account = found.get(`${wish.site}\n${wish.as}`);
    if (account) account.logInAt = wish.url;
  }
  const uses = accounts.uses();
  for (const crawl of crawls) {
    if (crawl.state !== 'running' && crawl.state !== 'paused') continue;
    for (const rule of crawl.job.login) {
      const account = ofName(rule);
      const use = uses.find((one) => one.crawl === crawl.id && one.site === rule.site && one.as === rule.as);
      account.uses.push({ crawl: crawl.id, name: crawl.name, ...(use ? told(use) : notYet(account)) });
      account.logInAt = logInAt(rule, use, crawl) ?? account.logInAt;
      account.showing ??= rule.check.selector;
    }
  }
  await countWaiting(found, crawls, uses);
  for (const account of found.values()) account.state = stateOf(account);
  return [...found.values()].toSorted((a, b) => compare(a.site, b.site) || compare(a.as, b.as));
}

function told({ isIn, sinceMs, usedAtMs, pages, out }: LoginUse): Omit<ApiAccountUse, 'crawl' | 'name'> {
  return {
    state: isIn ? 'in' : 'out',
    sinceMs,
    pages,
    ...(usedAtMs === undefined ? {} : { usedAtMs }),
    ...(out ? { why: out.why, isChallenge: out.isChallenge, ...(out.url ? { url: out.url } : {}) } : {}),
    hostsWaiting: 0,
    urlsWaiting: 0,
  };
}

/** The worker has not opened the crawl: it waits for the account, or for its turn. */
function notYet({ keptAtMs }: ApiSiteAccount): Omit<ApiAccountUse, 'crawl' | 'name'> {
  return { state: keptAtMs === undefined ? 'absent' : 'unused', pages: 0, hostsWaiting: 0, urlsWaiting: 0 };
}

function logInAt(
  { site, form }: Job['login'][number],
  use: LoginUse | undefined,
  { seeds }: Crawl,
): string | undefined {
  return form ?? use?.out?.url ?? seeds.find((seed) => isInSite(site, hostOf(seed as Url)));
}

/** What waits where no account of the site is left to read it with. */
async function countWaiting(
  found: ReadonlyMap<string, ApiSiteAccount>,
  crawls: readonly Crawl[],
  uses: readonly LoginUse[],
): Promise<void> {
  for (const crawl of crawls) {
    const own = uses.filter((use) => use.crawl === crawl.id);
    const lost = own.filter(({ site }) => own.every((use) => use.site !== site || !use.isIn));
    if (lost.length === 0) continue;
    const hosts = await crawl.hosts(HOSTS_COUNTED).catch(() => []);
    for (const { site, as } of lost) {
      const use = found.get(`${site}\n${as}`)?.uses.find((one) => one.crawl === crawl.id);
      const waiting = hosts.filter(({ host }) => isInSite(site, host as HostKey));
      if (!use) continue;
      use.hostsWaiting = waiting.length;
      use.urlsWaiting = waiting.reduce((sum, { queued }) => sum + queued, 0);
    }
  }
}

function stateOf({ keptAtMs, uses }: ApiSiteAccount): ApiSiteAccount['state'] {
  const has = (state: ApiAccountUse['state']) => uses.some((use) => use.state === state);
  if (has('out')) return uses.some(({ isChallenge }) => isChallenge) ? 'challenge' : 'out';
  if (has('in')) return 'in';
  return keptAtMs === undefined ? 'absent' : 'idle';
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
