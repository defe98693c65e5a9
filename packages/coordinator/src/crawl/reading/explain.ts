import {
  type CrawlId,
  type DroppedReason,
  type Entry,
  type HostWait,
  type Job,
  type NotSaved,
  type PageRecord,
  type Url,
} from '@webfarer/protocol';
import { droppedReasons, failedReasons, refusedReasons, waitReasons } from '@webfarer/protocol/crawl';
import { loginCommand, renderChooser } from '@webfarer/protocol/job';
import { robotsVerdict } from '@webfarer/protocol/robots';
import {
  hostMatch,
  hostOf,
  isInSite,
  linkUse,
  methodOf,
  originOf,
  type Scope,
  targetOf,
} from '@webfarer/protocol/url';
import type { Frontier } from '../../frontier/frontier.ts';
import type { HostRuling } from '../../host-rules/host-ruling.ts';
import type { Results } from '../../results/results.ts';
import { fetchedLines } from './explain-fetched.ts';
import { seconds, shownLines } from './explain-shown.ts';
import { foundAtMs } from './found-at.ts';
import { meantUrl } from './meant-url.ts';

/** Why a URL is where it is, in sentences a person can act on. */
export interface Explanation {
  url: Url;
  /** `out-of-scope`, `unknown`, `queued`, `in-flight`, `done`, `failed` or `refused`. */
  state: 'out-of-scope' | 'unknown' | 'queued' | 'in-flight' | 'done' | 'failed' | 'refused';
  /** The reason code, where there is one. */
  code?: string;
  /** What decided: a robots line, an exclude rule, an HTTP status. */
  rule?: string;
  lines: string[];
}

export interface ExplainOptions {
  crawl: CrawlId;
  job: Job;
  scope: Scope;
  agentToken: string;
  /** How hosts are treated by rules. */
  ruling: Pick<HostRuling, 'of'>;
  frontier: Pick<Frontier, 'look' | 'robots' | 'forgotten'> & {
    results: Pick<Results, 'linksTo' | 'edgesOf'>;
  };
  /** Hosts that the workers of this process hold, as far as they must pause on them; undefined: others may hold some. */
  held: (() => Promise<HostWait[]>) | undefined;
}

/** Why a URL is where it is: what the frontier knows of it, else what the rules say about it. */
export async function explainUrl(text: string, options: ExplainOptions): Promise<Explanation> {
  const url = meantUrl(text, options.job);
  const method = methodOf(url);
  const renamed = [
    ...(url === text ? [] : [`stands for ${url}`]),
    ...(method === 'GET' ? [] : [`a ${method} to ${targetOf(url)}`]),
  ];
  const story = await options.frontier.look(options.crawl, url);
  if (story?.state === 'settled') {
    const told = settled(story.record, await foundAtMs(options.frontier, options.crawl, story));
    const lines = [...renamed, ...told.lines, ...renderRuleLines(story.record, options.job)];
    return { ...told, url, lines };
  }
  if (story?.state === 'leased') {
    return {
      url,
      state: 'in-flight',
      lines: [
        ...renamed,
        `in flight at ${story.worker} for ${seconds(story.forMs)}, try ${story.entry.attempt + 1}`,
      ],
    };
  }
  if (story?.state === 'queued') {
    const { host, ahead, entry } = story;
    const due = host.dead
      ? 'the host is given up as dead; it will be settled as failed(host-dead)'
      : await dueLine(host, options);
    const found = entry.referrer ? [`found on ${entry.referrer}`] : [];
    return {
      url,
      state: 'queued',
      lines: [
        ...renamed,
        `queued${priorityOf(options.job, entry)}, ${ahead} ahead of it on this host`,
        due,
        ...(host.why === 'login' ? loginLines(options.job, host) : []),
        ...ruleLines(options, url),
        ...found,
      ],
    };
  }
  return (
    (await byForgetting(options, url, renamed)) ??
    (await byLinks(options, url, renamed)) ??
    (await byRules(options, url, renamed))
  );
}

/** Of a host that was deleted on request nothing is known, not even that it was a seed. */
async function byForgetting(
  { crawl, frontier }: ExplainOptions,
  url: Explanation['url'],
  lines: string[],
): Promise<Explanation | undefined> {
  const host = hostOf(url);
  const found = (await frontier.forgotten(crawl)).find(({ pattern }) => hostMatch(pattern).host(host));
  if (!found) return undefined;
  const why = `not queued: ${droppedReasons.forgotten} (webfarer forget ${found.pattern})`;
  return { url, state: 'out-of-scope', code: 'forgotten', rule: found.pattern, lines: [...lines, why] };
}

/** As `urlRules` count: 1 is fetched first. */
function priorityOf({ order }: Job, { band }: Entry): string {
  return order === 'best-first' ? ` with priority ${(band ?? 0) + 1}` : '';
}

/** Whose account is logged out, and what to do about it. */
function loginLines({ login }: Job, host: Pick<HostWait, 'host' | 'detail'>): string[] {
  const rule = login.find(({ site }) => isInSite(site, host.host));
  return rule
    ? [
        host.detail ??
          `${rule.as} is logged out of ${rule.site}; log in again with: ${loginCommand(rule)} (without a desktop: add --view, or --at COORDINATOR)`,
      ]
    : [];
}

/** Which rule holds the host of a URL, and who set it. */
function ruleLines({ ruling }: Pick<ExplainOptions, 'ruling'>, url: Url): string[] {
  const treatment = ruling.of(hostOf(url));
  if (!treatment) return [];
  if (treatment.kind === 'refuse') return [`it will be refused(${treatment.reason}): ${treatment.detail}`];
  const { rule, gapMs } = treatment.pace;
  return [rule ?? `politeness.hosts of the job sets a pause of ${seconds(gapMs)} for this host`];
}

/** The store knows only that a host is held; the worker of this process that holds it knows for how long. */
async function dueLine(host: HostWait, { held }: ExplainOptions): Promise<string> {
  if (host.why !== 'held' || !held) return dueIn(host);
  const own = (await held()).find((wait) => wait.host === host.host);
  return own ? dueIn(own) : `a page of ${host.host} is being fetched now; the next one follows`;
}

function dueIn({ host, dueInMs, why }: HostWait): string {
  return dueInMs > 0
    ? `${host} may be asked again in ${seconds(dueInMs)} (${waitReasons[why]})`
    : `${host} is due now`;
}

/** Pages named in an explanation. */
const namedPages = 3;

/** A link that stands on a page and was not queued: where it was found, and why it was left out. */
async function byLinks(
  options: ExplainOptions,
  url: Explanation['url'],
  lines: string[],
): Promise<Explanation | undefined> {
  const { crawl, frontier, scope } = options;
  // One more than is named, to tell whether there are others.
  const pages = (await frontier.results.linksTo(crawl, new Set([url]), namedPages + 1)).get(url);
  const [first] = pages ?? [];
  if (!pages || first === undefined) return undefined;
  const edges = (await frontier.results.edgesOf(crawl, first)).filter(({ to }) => to === url);
  const more = pages.length > namedPages ? ' and others' : '';
  const rels = [...new Set(edges.map(({ rel }) => rel))].join(', ');
  const found = `found on ${pages.slice(0, namedPages).join(', ')}${more} (${rels})`;
  const left = (code: DroppedReason, rule?: string): Explanation => {
    const why = `not queued: ${droppedReasons[code]}${rule === undefined ? '' : ` (${rule})`}`;
    return {
      url,
      state: 'out-of-scope',
      code,
      ...(rule === undefined ? {} : { rule }),
      lines: [...lines, found, why],
    };
  };
  const places = edges.filter(({ rel }) => linkUse(rel) === 'page' || leadsOn.has(rel));
  const kind = places.length > 0 ? 'page' : 'requisite';
  const depth = kind === 'page' ? (await depthOf(first, options)) + 1 : 0;
  const verdict = scope.decide({ url: targetOf(url), depth, parentCost: 0, kind, hops: 0 });
  if (!verdict.in) return left(verdict.reason, verdict.rule);
  return left(places.length > 0 && places.every(({ nofollow }) => nofollow) ? 'nofollow' : 'not-followed');
}

const leadsOn = new Set(['redirect', 'sitemap']);

async function depthOf(page: Url, { crawl, frontier }: ExplainOptions): Promise<number> {
  const story = await frontier.look(crawl, page);
  return story?.state === 'settled' ? story.record.depth : 0;
}

async function byRules(
  options: ExplainOptions,
  url: Explanation['url'],
  lines: string[],
): Promise<Explanation> {
  const verdict = options.scope.decide({
    url: targetOf(url),
    depth: 1,
    parentCost: 0,
    kind: 'page',
    hops: 0,
  });
  if (!verdict.in) {
    const sentence = droppedReasons[verdict.reason];
    const rule = verdict.rule;
    return {
      url,
      state: 'out-of-scope',
      code: verdict.reason,
      ...(rule === undefined ? {} : { rule }),
      lines: [...lines, `not in scope: ${sentence}${rule ? ` (${rule})` : ''}`],
    };
  }
  const treatment = options.ruling.of(hostOf(url));
  if (treatment?.kind === 'refuse') {
    const { reason: code, detail: rule } = treatment;
    const would = `it would be refused(${code}): ${rule}`;
    return { url, state: 'unknown', code, rule, lines: [...lines, 'not found on any page so far', would] };
  }
  const copy = await options.frontier.robots(originOf(url));
  const robots = copy ? robotsVerdict(copy, options.agentToken, url) : undefined;
  if (robots && !robots.allowed) {
    const rule = robots.rule ?? 'robots.txt';
    return {
      url,
      state: 'unknown',
      code: 'robots',
      rule,
      lines: [...lines, 'not found on any page so far', `it would be refused: ${rule}`],
    };
  }
  return {
    url,
    state: 'unknown',
    lines: [
      ...lines,
      'in scope, but not found on any page so far',
      `a link to it from ${hostOf(url)} or elsewhere would queue it`,
    ],
  };
}

function settled(record: PageRecord, foundMs: number | undefined): Omit<Explanation, 'url'> {
  const rule = record.detail;
  const lines = [sentence(record)];
  if (record.redirectTo) lines.push(`redirects to ${record.redirectTo}`);
  if (record.referrer) lines.push(`found on ${record.referrer}`);
  lines.push(...fetchedLines(record, foundMs));
  lines.push(...shownLines(record));
  const where = record.saved?.map(
    (at) =>
      `${at.file}${at.offset === undefined ? '' : ` at ${at.offset}`}${at.member === undefined ? '' : ` of the folder ${at.member}`}`,
  );
  if (where?.length) lines.push(`saved in ${where.join(', ')}`);
  if (record.notSaved) lines.push(`not saved: ${notSavedWords[record.notSaved](record.mime)}`);
  return { state: record.verdict, code: record.reason, ...(rule === undefined ? {} : { rule }), lines };
}

const notSavedWords: Record<NotSaved, (mime?: string) => string> = {
  type: (mime = 'no content type') => `fetch.types.save of the job does not have its type (${mime})`,
  noarchive: () => 'the page asks not to be archived (noarchive)',
};

/** Which of the rules for browsers is for the page, where the job has such rules. */
function renderRuleLines({ url, renderedWhy }: PageRecord, job: Job): string[] {
  if (renderedWhy === undefined || typeof job.render === 'string') return [];
  const seedHosts = job.seeds.flatMap((seed) => ('url' in seed ? [hostOf(seed.url as Url)] : []));
  const { rule } = renderChooser(job, seedHosts)(targetOf(url));
  return rule === undefined ? [] : [`the rule that decides: ${rule}`];
}

function sentence(record: PageRecord): string {
  const why = record.detail ? ` (${record.detail})` : '';
  const tries = record.attempts > 1 ? `, after ${record.attempts} tries` : '';
  if (record.verdict === 'done') return `done: answered ${record.status ?? ''}${tries}`;
  const table: Record<string, string> = record.verdict === 'failed' ? failedReasons : refusedReasons;
  return `${record.verdict}: ${table[record.reason] ?? record.reason}${why}${tries}`;
}
