import type { HostKey } from '../base/brands.ts';
import { WebfarerError } from '../base/errors.ts';
import type {
  Budget,
  HostTreatment,
  Job,
  JobIdentity,
  JobSeed,
  Limits,
  Mirror,
  SaveTarget,
  ScraperChoice,
  StoreChoice,
} from './job.ts';
import type { SiteCredentials } from '../url/rules.ts';
import { toExtract } from './extract-rule.ts';
import { contactText, crossProblems, tooManyExpressions, wantsRequisites } from './checks.ts';
import { toLogin } from './login-rule.ts';
import { type JobProblem, problemsOf } from './problems.ts';
import { type CheckedJob, jobSchema } from './schema.ts';
import { toSteps } from './steps.ts';
import { none } from './values.ts';
import { parseThresholds } from './thresholds.ts';
import { hostOf, seedUrl } from '../url/url.ts';
import { objectPlaceOf } from './object-place.ts';
import { credentialsIn, withoutUserinfo } from '../url/secrets.ts';

/** Checks a job and applies all defaults. Throws `job-invalid` with every problem, or `contact-missing`. */
export function resolveJob(input: unknown): Job {
  const checked = checkJob(input);
  if (!checked.ok) throw jobError(checked.problems, listProblems(checked.problems));
  return checked.job;
}

/** The same as a value. */
export function checkJob(input: unknown): { ok: true; job: Job } | { ok: false; problems: JobProblem[] } {
  const many = tooManyExpressions(input);
  if (many.length > 0) return { ok: false, problems: many };
  const parsed = jobSchema.safeParse(input);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error, input) };
  const problems = crossProblems(parsed.data);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, job: toJob(parsed.data) };
}

/** For a job whose own seeds or contact this version refuses. */
const noUrl = 'http://none.invalid/';

/**
 * The job of a stored crawl, for those who read the crawl or delete it: that is possible whatever this version refuses in
 * it. Top-level fields that are refused have their defaults. Throws as `resolveJob` where one of the `needed` is, so that
 * nobody takes a default for what was stored. Never to crawl by.
 */
export function readableJob(input: unknown, needed: readonly (keyof Job)[] = []): Job {
  const left: Record<string, unknown> = isFields(input) ? { ...input } : {};
  const refused = new Set<string>();
  for (;;) {
    const checked = checkJob(left);
    if (checked.ok) return needed.some((field) => refused.has(field)) ? resolveJob(input) : checked.job;
    // Each round takes a field away, or replaces one that no job can be without.
    const before = refused.size;
    for (const { path, code } of checked.problems) {
      const field = code === 'contact-missing' ? 'contact' : path[0];
      if (typeof field === 'string') refused.add(field);
    }
    if (refused.size === before) for (const field of Object.keys(left)) refused.add(field);
    if (left['seeds'] === undefined) refused.add('seeds');
    for (const field of refused) delete left[field];
    if (refused.has('seeds')) left['seeds'] = [noUrl];
    if (refused.has('contact')) left['contact'] = noUrl;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jobError(problems: readonly JobProblem[], text: string): WebfarerError {
  const onlyContact = problems.every((problem) => problem.code === 'contact-missing');
  return onlyContact ? contactMissing(text) : new WebfarerError('job-invalid', text);
}

/** As a message of its own, outside a list of problems. */
export const contactSentence = `A${contactText.slice(1)}.`;

export function contactMissing(text = contactSentence): WebfarerError {
  const next =
    'Give a web page or email address of yours: contact: in a job file, --contact on the command line.';
  return new WebfarerError('contact-missing', text, { next });
}

/** A field may be named by a text of any length, and a value may be one. */
const maxText = 500;
const maxListed = 101;

function listProblems(problems: readonly JobProblem[]): string {
  if (problems.every((problem) => problem.code === 'contact-missing')) return contactSentence;
  const lines = problems.slice(0, maxListed).map(({ path, message }) => {
    const said = message.slice(0, maxText);
    return path.length === 0 ? said : `${showPath(path).slice(0, maxText)}: ${said}`;
  });
  if (problems.length > maxListed) lines.push(`and ${problems.length - maxListed} more problems`);
  return lines.length === 1
    ? `The job is not valid: ${lines[0]}`
    : `The job is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** `seeds[0].file` */
export function showPath(path: readonly (string | number)[]): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}

function toJob(checked: CheckedJob): Job {
  const { politeness, robots } = checked;
  const seeds = checked.seeds.map(toSeed);
  return {
    name: checked.name ?? nameFrom(seeds),
    seeds,
    ...(checked.policy === undefined ? {} : { policy: checked.policy }),
    ...(checked.team === undefined ? {} : { team: checked.team }),
    ...(checked.contact === undefined ? {} : { contact: checked.contact }),
    scope: { ...checked.scope, requisites: wantsRequisites(checked) },
    urlRules: checked.urlRules.map(({ match, unless, cost = { add: 0 }, priority }) => ({
      ...whichUrls(match, unless),
      cost,
      ...(priority === undefined ? {} : { priority }),
    })),
    labels: Object.entries(checked.labels).map(([label, match]) => ({ label, match: [match].flat() })),
    order: checked.order,
    normalise: checked.normalise,
    limits: toLimits(checked.limits),
    politeness: {
      gapMs: politeness.gap,
      perHost: politeness.perHost,
      ownHosts: politeness.ownHosts as HostKey[],
      perAddress: politeness.perAddress,
      slowFactor: politeness.slowFactor,
      crawlDelayMaxMs: politeness.crawlDelayMax,
      retryAfterMaxMs: politeness.retryAfterMax,
      connections: politeness.connections,
      hosts: politeness.hosts.map(toTreatment),
    },
    robots: {
      obey: robots.obey,
      ignoreFor: robots.ignoreFor as HostKey[],
      sitemaps: robots.sitemaps,
      giveUpAfterMs: robots.giveUpAfter,
      maxAgeMs: robots.maxAge,
    },
    fetch: { ...toFetch(checked.fetch), credentials: credentialsOf(checked.seeds) },
    ...(checked.identity === undefined ? {} : { identity: toIdentity(checked.identity) }),
    login: checked.login.map(toLogin),
    render:
      typeof checked.render === 'string'
        ? checked.render
        : checked.render.map(({ match, do: how }) => ({
            ...(match === undefined ? {} : { match: [match].flat() }),
            do: how,
          })),
    screenshots: [...new Set([checked.screenshots].flat())],
    pdf: checked.pdf,
    steps: toSteps(checked.steps),
    scraper: toScraper(checked.scraper),
    extract: checked.extract.map(toExtract),
    itemKey: [checked.itemKey].flat(),
    save: checked.save.map(toSaveTarget),
    ...(checked.files === undefined
      ? {}
      : { files: { ...checked.files, from: [checked.files.from].flat() } }),
    ...(checked.mirror === undefined ? {} : { mirror: toMirror(checked.mirror) }),
    ...(checked.retention === undefined ? {} : { retention: { keepMs: checked.retention.keep } }),
    thresholds: parseThresholds(checked.thresholds),
    processes: checked.processes,
    ...(checked.store === undefined ? {} : { store: toStore(checked.store) }),
  };
}

function toTreatment({
  match,
  gap,
  connections,
  block,
}: CheckedJob['politeness']['hosts'][number]): HostTreatment {
  const own = connections === undefined ? {} : { connections };
  return { match, block, ...(gap === undefined ? {} : { gapMs: gap }), ...own };
}

function toIdentity({ directory, key, hosts }: NonNullable<CheckedJob['identity']>): JobIdentity {
  return { directory, hosts, ...(key === undefined ? {} : { keyFile: key }) };
}

/** Names and passwords in a seed are not part of its URL; they are sent to that origin and kept nowhere. */
function toSeed(seed: CheckedJob['seeds'][number]): JobSeed {
  if (typeof seed === 'string') return { url: withoutUserinfo(seed) };
  return 'sitemap' in seed ? { sitemap: withoutUserinfo(seed.sitemap) } : seed;
}

function credentialsOf(seeds: CheckedJob['seeds']): SiteCredentials[] {
  return seeds.flatMap((seed) => {
    const text = typeof seed === 'string' ? seed : 'sitemap' in seed ? seed.sitemap : '';
    return credentialsIn(text) ?? [];
  });
}

function toStore(store: NonNullable<CheckedJob['store']>): StoreChoice {
  if (typeof store === 'string') return { url: store, durability: 'strict', insecure: false };
  const { backlog, ...rest } = store;
  return backlog === undefined ? rest : { ...rest, backlog };
}

/** The host of the first seed that has one, or the name of its file. */
function nameFrom(seeds: readonly JobSeed[]): string {
  for (const seed of seeds) {
    if ('file' in seed) continue;
    const url = seedUrl('url' in seed ? seed.url : seed.sitemap)[0];
    if (url !== undefined) return hostOf(url).replace(/^www\./, '');
  }
  return 'crawl';
}

function toLimits(limits: CheckedJob['limits']): Limits {
  return {
    ...optional('pages', limits.pages),
    ...optional('bytes', limits.bytes),
    ...optional('durationMs', limits.duration),
    ...optional('depth', limits.depth),
    ...optional('cost', limits.cost),
    perHost: toBudget(limits.perHost),
    perSite: toBudget(limits.perSite),
    minFreeBytes: limits.minFree,
  };
}

function toBudget(budget: CheckedJob['limits']['perHost']): Budget {
  return { ...optional('pages', budget.pages), ...optional('bytes', budget.bytes) };
}

/** A field that is there only when the limit is. */
function optional<K extends string>(key: K, value: number | typeof none): { [P in K]?: number } {
  return (value === none ? {} : { [key]: value }) as { [P in K]?: number };
}

function toFetch(fetch: CheckedJob['fetch']): Omit<Job['fetch'], 'credentials'> {
  return {
    timeoutMs: fetch.timeout,
    maxBodyBytes: fetch.maxBody,
    maxDecodedBytes: fetch.maxDecoded,
    redirects: fetch.redirects,
    retries: {
      count: fetch.retries.count,
      backoffMs: fetch.retries.backoff,
      deadAfter: fetch.retries.deadAfter,
      poisonAfter: fetch.retries.poisonAfter,
    },
    types: fetch.types,
    userAgent: fetch.userAgent,
    headers: Object.entries(fetch.headers),
    proxy: fetch.proxy.map(({ match, unless, use }) => ({ ...whichUrls(match, unless), use })),
    allowPrivate: fetch.allowPrivate.flat(),
    cookies: fetch.cookies !== false,
    ...(typeof fetch.cookies === 'string' ? { cookieFile: fetch.cookies } : {}),
    handlerTimeoutMs: fetch.handlerTimeout,
    ports: fetch.ports,
    dns: fetch.dns,
    ...(fetch.ca === undefined ? {} : { ca: fetch.ca }),
  };
}

function whichUrls<P>(match: P | undefined, unless: P | undefined): { match?: P; unless?: P } {
  return { ...(match === undefined ? {} : { match }), ...(unless === undefined ? {} : { unless }) };
}

function toScraper(scraper: CheckedJob['scraper']): ScraperChoice {
  if (typeof scraper === 'string') {
    if (scraper === 'links') return { kind: 'links', follow: [] };
    if (scraper === 'site') return { kind: 'site', check: true };
    return { kind: 'module', path: scraper };
  }
  if ('links' in scraper) return { kind: 'links', follow: scraper.links.follow };
  if ('ids' in scraper) return { kind: 'ids', ...scraper.ids };
  return { kind: 'site', ...scraper.site };
}

function toMirror({ folder }: NonNullable<CheckedJob['mirror']>): Mirror {
  return folder === undefined ? {} : { folder };
}

function toSaveTarget(save: CheckedJob['save'][number]): SaveTarget {
  if (isNamedSaver(save)) return namedSaver(save);
  if (typeof save === 'string') return { kind: 'module', path: save };
  if ('warc' in save) {
    const { rotate: rotateBytes, dedupe, at, s3, storage } = save.warc;
    const named = storage === undefined ? {} : { storage };
    if (at !== 'worker' && at !== 'coordinator')
      return { kind: 'warc', rotateBytes, dedupe, at: 'objects', objects: objectPlaceOf(at, s3), ...named };
    return { kind: 'warc', rotateBytes, dedupe, at: storage === undefined ? at : 'objects', ...named };
  }
  if ('files' in save) return { kind: 'files', name: save.files.name };
  if ('tar' in save) {
    const { name, compress, gzip } = save.tar;
    return { kind: 'tar', name, compress: compress ?? (gzip ? 'gz' : 'none') };
  }
  if ('markdown' in save) return { kind: 'markdown', ...save.markdown };
  if ('redis' in save) {
    const { key, maxBody: maxBodyBytes, ttl } = save.redis;
    return { kind: 'redis', key, maxBodyBytes, ...(ttl === undefined ? {} : { ttlMs: ttl }) };
  }
  return { kind: 'none' };
}

const namedSavers = ['warc', 'files', 'tar', 'markdown', 'redis', 'none'] as const;
type NamedSaver = (typeof namedSavers)[number];

const isNamedSaver = (save: CheckedJob['save'][number]): save is NamedSaver =>
  (namedSavers as readonly unknown[]).includes(save);

/** A saver by its bare name has the schema's defaults, found by asking the schema. */
function namedSaver(name: NamedSaver): SaveTarget {
  const { save } = jobSchema.pick({ save: true }).parse({ save: [{ [name]: {} }] });
  return toSaveTarget(save[0] ?? 'none');
}
