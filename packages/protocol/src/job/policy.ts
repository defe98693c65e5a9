import type { HostKey, SiteKey, Url } from '../base/brands.ts';
import type { EntryKind } from '../base/entry.ts';
import type { FetchPolicy, FileRules, Job, Render, TypeRules } from './job.ts';
import { isWide } from './checks.ts';
import { isOpenHeader } from './secrets.ts';
import { contactMissing } from './resolve.ts';
import { patternMatcher, showPattern } from '../url/glob.ts';
import { patternsOf } from '../url/host-pattern.ts';
import { siteOf } from '../url/site.ts';
import { hostOf } from '../url/url.ts';
import { authorizationFor } from '../url/secrets.ts';

/** Small decisions that follow from a job alone. */

/** The user agent with its blanks filled; without a contact its parenthesis goes too. */
export function userAgentFor(job: Pick<Job, 'contact' | 'fetch'>, version: string): string {
  const text = job.fetch.userAgent.replaceAll('{version}', version);
  if (job.contact !== undefined) return text.replaceAll('{contact}', job.contact);
  return text.replace(/\s*\(\+?\{contact\}\)/, '').replaceAll('{contact}', '');
}

/**
 * The name by which robots.txt knows us: letters, `-` and `_` at the start of the user agent, or behind `compatible;` in a
 * comment of one that begins as those of browsers do.
 */
export function robotsToken(userAgent: string): string {
  const asBrowser = /^Mozilla\/.*?[(;]\s*compatible;\s*([a-z_-]+)/i.exec(userAgent)?.[1];
  return asBrowser ?? /^[a-z_-]+/i.exec(userAgent)?.[0] ?? 'webfarer';
}

/** Throws `contact-missing` once all seeds are known, those from files too. */
export function requireContact(job: Job, sites: Iterable<SiteKey>): void {
  if (job.contact === undefined && isWide(job, sites)) {
    throw contactMissing();
  }
}

/** Whether robots.txt is obeyed on a host. */
export function obeysRobots(job: Pick<Job, 'robots'>, host: HostKey): boolean {
  return job.robots.obey || !job.robots.ignoreFor.includes(host);
}

/** Requests that may be in flight on a host at once, where no entry of `politeness.hosts` fits it. */
export function inFlightOn(job: Pick<Job, 'politeness'>, host: HostKey): number {
  return job.politeness.ownHosts.includes(host) ? job.politeness.perHost : 1;
}

/** How the job wants a host to be treated. */
export interface JobPace {
  gapMs: number;
  /** Requests that may be in flight on the host at once. */
  connections: number;
  block: boolean;
  /** The entry of `politeness.hosts` that decided; undefined: none fits. */
  match: string | undefined;
}

/** Looks up how a job wants hosts to be treated. */
export function paceChooser({ politeness }: Pick<Job, 'politeness'>): (host: HostKey) => JobPace {
  const { gapMs, perHost } = politeness;
  const treatments = new Map(politeness.hosts.map((treatment) => [treatment.match, treatment]));
  const own = new Set(politeness.ownHosts);
  return (host) => {
    const found = treatments.size === 0 ? undefined : mostSpecific(treatments, host);
    return {
      gapMs: found?.gapMs ?? gapMs,
      connections: own.has(host) ? (found?.connections ?? perHost) : 1,
      block: found?.block ?? false,
      match: found?.match,
    };
  };
}

function mostSpecific<T>(by: ReadonlyMap<string, T>, host: HostKey): T | undefined {
  for (const pattern of patternsOf(host)) {
    const found = by.get(pattern);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The shortest pause that the job keeps on any host. */
export function shortestGapMs({ politeness: { gapMs, hosts } }: Pick<Job, 'politeness'>): number {
  return hosts.reduce((least, one) => Math.min(least, one.gapMs ?? least), gapMs);
}

/**
 * Whether a content type (without parameters) is read and saved. An absent type counts as text/html. Page
 * requisites and sitemaps were asked for by kind, so only `ignore` can refuse them.
 */
export function savesType(rules: TypeRules, mime: string | undefined, kind: EntryKind = 'page'): boolean {
  const type = (mime ?? '').toLowerCase() || 'text/html';
  if (rules.ignore.some((pattern) => fitsType(pattern, type))) return false;
  return kind === 'requisite' || kind === 'sitemap' || rules.save.some((pattern) => fitsType(pattern, type));
}

/** Whether a page of this content type is saved: by the types of the job, or as one of the files that it collects. */
export function savesPage(rules: TypeRules, files: FileRules | undefined, mime: string | undefined): boolean {
  return (
    savesType(rules, mime) || (files !== undefined && savesType({ save: files.types, ignore: [] }, mime))
  );
}

function fitsType(pattern: string, type: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern.toLowerCase() === type;
  if (pattern === '*/*') return true;
  const [before = '', after = ''] = pattern.toLowerCase().split('*');
  return type.length >= before.length + after.length && type.startsWith(before) && type.endsWith(after);
}

/**
 * Ports of services that must not be talked HTTP to: what browsers refuse, too (WHATWG Fetch, 2.9), and those
 * of databases, queues and machine control.
 */
export const unsafePorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 445, 873, 1433,
  1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 6380, 9042, 9092, 9200, 9300,
  10250, 11211, 15672, 16379, 26379, 27017,
]);

export function portAllowed(ports: FetchPolicy['ports'], port: number): boolean {
  return ports === 'safe' ? !unsafePorts.has(port) : ports.includes(port);
}

/**
 * The job's own headers for a URL. Most of them may hold a key, so they go to the sites of the seeds only, never to
 * whatever a page links to; a name and password go to exactly their origin.
 */
export function headerChooser(
  job: Pick<Job, 'fetch'>,
  seedHosts: readonly HostKey[],
): (url: Url) => [string, string][] {
  const { headers, credentials } = job.fetch;
  const sites = new Set(seedHosts.map(siteOf));
  const open = headers.filter(([name]) => isOpenHeader(name));
  return (url) => {
    const own = open.length === headers.length || sites.has(siteOf(hostOf(url))) ? headers : open;
    const authorization = authorizationFor(url, credentials);
    return authorization === undefined ? own : [...own, ['Authorization', authorization]];
  };
}

/** The proxy for a URL by the first rule that fits; undefined means direct. */
export function proxyChooser(
  job: Pick<Job, 'fetch'>,
  seedHosts: readonly HostKey[],
): (url: Url) => string | undefined {
  const rules = job.fetch.proxy.map(({ match, unless, use }) => ({
    fits: match === undefined ? undefined : patternMatcher(match, seedHosts),
    misses: unless === undefined ? undefined : patternMatcher(unless, seedHosts),
    use,
  }));
  return (url) => {
    const rule = rules.find(({ fits, misses }) => (fits?.(url) ?? true) && !(misses?.(url) ?? false));
    return rule === undefined || rule.use === 'direct' ? undefined : rule.use;
  };
}

/** Whether pages are shown in a browser, and the rule that says so; no rule where the job says it for all. */
export function renderChooser(
  { render }: Pick<Job, 'render'>,
  seedHosts: readonly HostKey[],
): (url: Url) => { render: Render; rule: string | undefined } {
  if (typeof render === 'string') return () => ({ render, rule: undefined });
  const rules = render.map(({ match = [], do: how }) => ({
    fits: match.map((pattern) => patternMatcher(pattern, seedHosts)),
    render: how,
    rule: `render: ${match.map(showPattern).join(', ') || 'all others'}: ${how}`,
  }));
  return (url) => {
    const found = rules.find(({ fits }) => fits.length === 0 || fits.some((one) => one(url)));
    return { render: found?.render ?? 'never', rule: found?.rule ?? 'render: no rule fits' };
  };
}
