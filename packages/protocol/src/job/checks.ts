import type { HostKey, SiteKey } from '../base/brands.ts';
import { closest } from './closest.ts';
import type { ScraperChoice } from './job.ts';
import { loginProblems } from './login-rule.ts';
import type { JobProblem } from './problems.ts';
import type { CheckedJob } from './schema.ts';
import { fitsHost } from '../url/host-pattern.ts';
import { siteOf } from '../url/site.ts';
import { isThresholdName, thresholdNames } from './thresholds.ts';
import { hostOf, parseUrl, seedUrl } from '../url/url.ts';

const dayMs = 86_400_000;

/** What no single field can say alone. */
export function crossProblems(job: CheckedJob): JobProblem[] {
  return [
    ...seedProblems(job),
    ...contactProblems(job),
    ...robotsProblems(job),
    ...hostProblems(job),
    ...orderProblems(job),
    ...loginProblems(job),
    ...stepProblems(job),
    ...thresholdProblems(job),
    ...scraperProblems(job),
    ...mirrorProblems(job),
    ...pictureProblems(job),
  ];
}

function pictureProblems({ render, screenshots, pdf }: CheckedJob): JobProblem[] {
  if (render !== 'never') return [];
  const message = 'only pages in a browser have pictures: set render: auto or always';
  return [
    ...([screenshots].flat().length > 0 ? [{ path: ['screenshots'], message }] : []),
    ...(pdf ? [{ path: ['pdf'], message }] : []),
  ];
}

function seedProblems(job: CheckedJob): JobProblem[] {
  return job.seeds.flatMap((seed, i) =>
    typeof seed === 'string' && seedUrl(seed).length === 0
      ? [{ path: ['seeds', i], message: `"${seed}" is not an http or https URL` }]
      : [],
  );
}

function contactProblems(job: CheckedJob): JobProblem[] {
  const { contact } = job;
  if (contact !== undefined) {
    if (!isContact(contact)) {
      return [{ path: ['contact'], message: 'expected a web page (https://…) or an email address' }];
    }
    const shown = job.fetch.userAgent.includes('{contact}') || job.fetch.userAgent.includes(contact);
    return shown || !isWide(widthOf(job), sitesOf(job))
      ? []
      : [
          {
            path: ['fetch', 'userAgent'],
            message: 'must contain {contact} for a crawl of more than one registered domain',
          },
        ];
  }
  // Its policy may have one; the job is checked again with it.
  if (typeof job.policy === 'string' || !isWide(widthOf(job), sitesOf(job))) return [];
  return [{ ...widestField(job), code: 'contact-missing', message: contactText }];
}

/** The field that takes the crawl beyond one registered domain. */
function widestField(job: CheckedJob): Pick<JobProblem, 'path' | 'atKey'> {
  const { scope, scraper } = job;
  if (scope.stay === 'web') return { path: ['scope', 'stay'] };
  if (scope.requisites) return { path: ['scope', 'requisites'] };
  if (wantsRequisites(job)) return { path: ['mirror'] };
  if (job.files) return { path: ['files'] };
  return checksOthers(scraper) ? { path: ['scraper'] } : { path: ['seeds'] };
}

export const contactText =
  'a crawl of more than one registered domain needs a contact, so that site owners can reach you';

/** This machine: no site owner needs a contact. */
const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])\.?$/;

/** Whether a crawl goes beyond one registered domain, given the sites of its seeds. */
export function isWide(
  job: { scope: { stay: string; requisites: boolean }; scraper: ScraperChoice },
  sites: Iterable<SiteKey>,
): boolean {
  const { scope, scraper } = job;
  const asksOthers = scope.requisites || (scraper.kind === 'site' && scraper.check);
  return (
    scope.stay === 'web' ||
    asksOthers ||
    new Set(Array.from(sites).filter((site) => !loopback.test(site))).size > 1
  );
}

function widthOf(job: CheckedJob): Parameters<typeof isWide>[0] {
  const scope = { stay: job.scope.stay, requisites: wantsRequisites(job) || job.files !== undefined };
  return { scope, scraper: { kind: 'site', check: checksOthers(job.scraper) } };
}

/** A copy to read offline is of little use without images and styles. */
export function wantsRequisites({ scope, mirror }: Pick<CheckedJob, 'scope' | 'mirror'>): boolean {
  return scope.requisites ?? mirror !== undefined;
}

function checksOthers(scraper: CheckedJob['scraper']): boolean {
  return scraper === 'site' || (typeof scraper === 'object' && 'site' in scraper && scraper.site.check);
}

function sitesOf(job: CheckedJob): SiteKey[] {
  return job.seeds.flatMap((seed) => {
    if (typeof seed !== 'string' && 'file' in seed) return [];
    const url = seedUrl(typeof seed === 'string' ? seed : seed.sitemap)[0];
    return url === undefined ? [] : [siteOf(hostOf(url))];
  });
}

function isContact(text: string): boolean {
  if (/^(?:mailto:)?[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+$/.test(text)) return true;
  const url = parseUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && /^[\x21-\x7e]+$/.test(text);
}

function robotsProblems({ robots, politeness }: CheckedJob): JobProblem[] {
  const problems: JobProblem[] = [];
  if (!robots.obey && robots.ignoreFor.length === 0) {
    problems.push({
      path: ['robots', 'obey'],
      message: 'false needs the hosts you own: ignoreFor: [my.example]; robots.txt is obeyed everywhere else',
    });
  }
  if (robots.obey && robots.ignoreFor.length > 0) {
    problems.push({ path: ['robots', 'ignoreFor'], message: 'only works together with obey: false' });
  }
  if (robots.maxAge > dayMs) problems.push({ path: ['robots', 'maxAge'], message: 'must be at most 24h' });
  if (politeness.perHost > 1 && politeness.ownHosts.length === 0) {
    problems.push({
      path: ['politeness', 'perHost'],
      message: 'more than 1 needs the hosts you own: ownHosts: [my.example]; it stays 1 everywhere else',
    });
  }
  return problems;
}

function hostProblems({ politeness: { hosts, ownHosts } }: CheckedJob): JobProblem[] {
  const seen = new Set<string>();
  return hosts.flatMap(({ match, gap, connections, block }, i) => {
    const path = ['politeness', 'hosts', i];
    const problems: JobProblem[] = [];
    if (seen.has(match)) problems.push({ path: [...path, 'match'], message: `${match} is listed twice` });
    seen.add(match);
    if (gap === undefined && connections === undefined && !block)
      problems.push({ path, message: 'an entry needs gap, connections or block: true' });
    if (block && (gap !== undefined || connections !== undefined))
      problems.push({ path: [...path, 'block'], message: 'a blocked host has neither gap nor connections' });
    if ((connections ?? 1) > 1 && !ownHosts.some((host) => fitsHost(match, host as HostKey)))
      problems.push({
        path: [...path, 'connections'],
        message: 'more than 1 needs the hosts you own: politeness.ownHosts: [my.example]',
      });
    return problems;
  });
}

function orderProblems({ policy, order, urlRules }: CheckedJob): JobProblem[] {
  // Its policy may say best-first; the job is checked again with it.
  if (order === 'best-first' || typeof policy === 'string') return [];
  return urlRules.flatMap(({ priority }, i) =>
    priority === undefined
      ? []
      : [{ path: ['urlRules', i, 'priority'], message: 'only works together with order: best-first' }],
  );
}

function stepProblems({ render, steps }: CheckedJob): JobProblem[] {
  if (steps.length === 0 || render !== 'never') return [];
  const message = 'need a browser: add render: auto to show the pages that have steps, or render: always';
  return [{ path: ['steps'], atKey: true, message }];
}

function thresholdProblems({ thresholds }: CheckedJob): JobProblem[] {
  return Object.keys(thresholds)
    .filter((name) => !isThresholdName(name))
    .map((name) => {
      const near = closest(name, thresholdNames);
      const hint = near === undefined ? '' : `; did you mean "${near}"?`;
      return {
        path: ['thresholds', name],
        atKey: true,
        message: `"${name}" is not a verdict, reason or HTTP status${hint}`,
      };
    });
}

function scraperProblems({ scraper, save }: CheckedJob): JobProblem[] {
  const problems: JobProblem[] = [];
  if (scraper === 'ids') {
    problems.push({
      path: ['scraper'],
      message: "ids needs what to find and fetch: { ids: { find: 'ID-(\\d+)', template: 'https://…/{id}' } }",
    });
  }
  const kinds = save.map((target) => (typeof target === 'string' ? target : Object.keys(target)[0]));
  if (kinds.includes('none') && kinds.length > 1) {
    problems.push({ path: ['save'], message: 'none cannot be combined with other savers' });
  }
  return problems;
}

const ownSavers = new Set(['warc', 'files', 'tar']);

/** It is made of what was saved. */
function mirrorProblems({ mirror, files, save }: CheckedJob): JobProblem[] {
  const kinds = save.map((target) => (typeof target === 'string' ? target : (Object.keys(target)[0] ?? '')));
  const message = 'needs a saver that keeps bodies: warc, files or tar';
  const without = { mirror, files };
  const problems: JobProblem[] = kinds.some((kind) => ownSavers.has(kind))
    ? []
    : (['mirror', 'files'] as const)
        .filter((name) => without[name] !== undefined)
        .map((name) => ({ path: [name], message }));
  if (files !== undefined && kinds.includes('files'))
    problems.push({
      path: ['files'],
      message: 'cannot be combined with save: files, which writes to the same folder',
    });
  return problems;
}

/**
 * Each takes up to 2 ms to make and about as long for a long URL, which is tried on all of them in one go. The process
 * keeps as many (`createExpression`).
 */
const mostExpressions = 100;

/** Counted before any of them is made. Named is the field that has the most. */
export function tooManyExpressions(input: unknown): JobProblem[] {
  if (typeof input !== 'object' || input === null) return [];
  const counts = Object.entries(input).map(([field, value]) => ({ field, count: expressionsIn(value) }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  if (all <= mostExpressions) return [];
  const { field = '' } = counts.toSorted((a, b) => b.count - a.count)[0] ?? {};
  const message = `the job has ${all} regular expressions, and ${mostExpressions} are the most; write globs, or join several with |`;
  return [{ path: [field], message }];
}

function expressionsIn(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== 'object' || one === null) continue;
    for (const [name, inner] of Object.entries(one))
      if (typeof inner === 'object') left.push(inner);
      else if (name === 'regex' || name === 'find') count++;
  }
  return count;
}
