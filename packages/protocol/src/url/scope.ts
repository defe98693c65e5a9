import type { HostKey, SiteKey, Url } from '../base/brands.ts';
import { type Band, bands, type EntryKind } from '../base/entry.ts';
import { patternMatcher, showPattern } from './glob.ts';
import { isInSite } from './host-pattern.ts';
import { isLogOut } from './log-out.ts';
import type { CrawlOrder, LabelRule, ScopeRules, Stay, UrlPattern, UrlRule } from './rules.ts';
import type { DroppedReason } from '../base/reasons.ts';
import { siteOf } from './site.ts';
import { trapRule } from './trap.ts';
import { hostOf, maxUrlBytes, pathOf } from './url.ts';

export interface ScopeLink {
  url: Url;
  depth: number;
  /** Cost of the page the link is on; 0 for seeds. */
  parentCost: number;
  kind: EntryKind;
  /** Redirects in a row that led here. */
  hops: number;
}

export type ScopeDecision =
  | { in: true; cost: number; band?: Band; label?: string }
  /** `rule` names the setting and pattern that decided, as a person wrote it. */
  | { in: false; reason: DroppedReason; rule?: string };

export interface Scope {
  decide(link: ScopeLink): ScopeDecision;
}

/** What a job says of its scope. */
export interface ScopeJob {
  scope: ScopeRules;
  urlRules: UrlRule[];
  labels: LabelRule[];
  order: CrawlOrder;
  limits: { depth?: number; cost?: number };
  /** Files of pages are fetched as requisites are. */
  files?: unknown;
  fetch: { redirects: number };
  /** Sites that are read with an account. */
  login: readonly { site: string; as: string }[];
}

/** Whether a URL belongs to the crawl, and what following it costs. Pure: the same answer everywhere, always. */
export function createScope(job: ScopeJob, seeds: readonly Url[]): Scope {
  const { scope, limits, fetch } = job;
  const seedHosts = [...new Set(seeds.map(hostOf))];
  const stays = stayRule(scope.stay, seeds);
  const include = scope.include.map((pattern) => compile(pattern, seedHosts));
  const exclude = scope.exclude.map((pattern) => compile(pattern, seedHosts));
  const costOf = costRule(job.urlRules, seedHosts);
  const labelOf = labelRule(job.labels, seedHosts);
  const logsOut = job.login.length > 0 ? logOutRule(job.login) : undefined;
  const takesRequisites = scope.requisites || job.files !== undefined;
  const ordered = job.order === 'best-first';
  const { depth: maxDepth = Number.POSITIVE_INFINITY, cost: maxCost = Number.POSITIVE_INFINITY } = limits;
  return {
    decide(link) {
      const { url, kind } = link;
      if (kind === 'requisite' && !takesRequisites) return no('requisite', 'scope.requisites: false');
      if (link.hops > fetch.redirects) return no('redirect-limit', `fetch.redirects: ${fetch.redirects}`);
      if (url.length > maxUrlBytes) return no('too-long', `${url.length} bytes, at most ${maxUrlBytes}`);
      // What is only checked leads no further.
      if (link.depth > maxDepth && kind !== 'check') return no('depth', `limits.depth: ${maxDepth}`);
      // Requisites may come from any host, a sitemap is read where robots.txt says it is, and links are checked
      // because they lead out.
      const anyHost = kind !== 'page';
      if (!anyHost && !stays(url)) return no('scope', `scope.stay: ${scope.stay}`);
      const excluded = firstThatFits(exclude, url);
      if (excluded !== undefined) return no('excluded', `scope.exclude: ${excluded.text}`);
      const account = logsOut?.(url);
      if (account !== undefined) return no('excluded', `login: it would log ${account} out`);
      if (!anyHost && link.depth > 0 && include.length > 0 && !firstThatFits(include, url)) {
        return no('not-included', `scope.include: ${include.map(({ text }) => text).join(', ')}`);
      }
      const trap = trapRule(pathOf(url));
      if (trap !== undefined) return no('trap', trap);
      const found = costOf?.(url, link.parentCost);
      const cost = found?.cost ?? link.parentCost;
      if (cost > maxCost)
        return no('cost', `limits.cost: ${maxCost} (${found?.rule ?? 'no rule'} makes it ${cost})`);
      const band = ordered && kind !== 'sitemap' ? bandOf(cost, found?.priority) : undefined;
      const decision: ScopeDecision = band === undefined ? { in: true, cost } : { in: true, cost, band };
      if (labelOf !== undefined && kind === 'page') addLabel(decision, labelOf(url));
      return decision;
    },
  };
}

/** The account that a link would log out; undefined: none. */
function logOutRule(login: ScopeJob['login']): (url: Url) => string | undefined {
  return (url) => (isLogOut(url) ? login.find(({ site }) => isInSite(site, hostOf(url)))?.as : undefined);
}

function no(reason: DroppedReason, rule: string): ScopeDecision {
  return { in: false, reason, rule };
}

/** The rule's priority, or else whole units of cost; undefined for the first band. */
function bandOf(cost: number, priority: number | undefined): Band | undefined {
  const place = priority === undefined ? Math.floor(cost) : priority - 1;
  return bands[Math.min(place, bands.length) - 1];
}

function addLabel(decision: ScopeDecision & { in: true }, label: string | undefined): void {
  if (label !== undefined) decision.label = label;
}

/** The label that the first fitting rule gives a URL; undefined where there are no rules. */
export function labelRule(
  rules: readonly LabelRule[],
  seedHosts: readonly HostKey[],
): ((url: Url) => string | undefined) | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map(({ label, match }) => ({
    label,
    fits: match.map((pattern) => patternMatcher(pattern, seedHosts)),
  }));
  return (url) => compiled.find(({ fits }) => fits.some((one) => one(url)))?.label;
}

interface CompiledPattern {
  fits: (url: Url) => boolean;
  text: string;
}

/** A loop, because this runs for every link of every page. */
function firstThatFits(patterns: readonly CompiledPattern[], url: Url): CompiledPattern | undefined {
  for (const pattern of patterns) if (pattern.fits(url)) return pattern;
  return undefined;
}

function compile(pattern: UrlPattern, seedHosts: readonly HostKey[]): CompiledPattern {
  return { fits: patternMatcher(pattern, seedHosts), text: showPattern(pattern) };
}

/** Whether a URL is inside what `stay` means for these seeds. */
export function stayRule(stay: Stay, seeds: readonly Url[]): (url: Url) => boolean {
  switch (stay) {
    case 'web':
      return () => true;
    case 'site': {
      const sites = new Set<SiteKey>(seeds.map((seed) => siteOf(hostOf(seed))));
      return perHost((host) => sites.has(siteOf(host)));
    }
    case 'host': {
      const hosts = new Set(seeds.map((seed) => withoutWww(hostOf(seed))));
      return perHost((host) => hosts.has(withoutWww(host)));
    }
    case 'path': {
      const places = seeds.map((seed) => ({ host: withoutWww(hostOf(seed)), inside: below(pathOf(seed)) }));
      return (url) => {
        const host = withoutWww(hostOf(url));
        return places.some((place) => place.host === host && place.inside(pathOf(url)));
      };
    }
  }
}

/** Links of a page share few hosts, and finding a host's site is the expensive part, so results are cached. */
function perHost(decide: (host: HostKey) => boolean): (url: Url) => boolean {
  const known = new Map<HostKey, boolean>();
  return (url) => {
    const host = hostOf(url);
    let answer = known.get(host);
    if (answer === undefined) {
      answer = decide(host);
      if (known.size >= 1000) known.clear();
      known.set(host, answer);
    }
    return answer;
  };
}

/** `www.` and the bare name are one host here: one nearly always redirects to the other. */
function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** `/docs/` and `/docs` are the folder and all in it; `/docs/index.html` stands for its folder. */
function below(seedPath: string): (path: string) => boolean {
  const path = seedPath.split('?', 1)[0] ?? '/';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const folder = name.includes('.') ? path.slice(0, -name.length) : path;
  if (folder.endsWith('/')) {
    const itself = folder.slice(0, -1);
    return (url) =>
      url.startsWith(folder) || (itself !== '' && (url === itself || url.startsWith(`${itself}?`)));
  }
  return (url) => url === folder || url.startsWith(`${folder}/`) || url.startsWith(`${folder}?`);
}

interface LinkCost {
  cost: number;
  rule: string;
  priority: number | undefined;
}

/** What the first fitting rule makes a link cost; undefined: as much as its page. */
function costRule(
  rules: readonly UrlRule[],
  seedHosts: readonly HostKey[],
): ((url: Url, parentCost: number) => LinkCost | undefined) | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map(({ match, unless, cost, priority }, i) => ({
    match: match === undefined ? undefined : compile(match, seedHosts),
    unless: unless === undefined ? undefined : compile(unless, seedHosts),
    cost,
    priority,
    name: `urlRules[${i}]`,
  }));
  return (url, parentCost) => {
    for (const { match, unless, cost, priority, name } of compiled) {
      if (match !== undefined && !match.fits(url)) continue;
      if (unless?.fits(url)) continue;
      const value = 'add' in cost ? parentCost + cost.add : parentCost * cost.times;
      return { cost: Math.max(0, value), rule: name, priority };
    }
    return undefined;
  };
}
