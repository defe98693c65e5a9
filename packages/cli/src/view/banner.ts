import type { CrawlEvent, Job, Url } from '@webfarer/protocol';
import { bytes, longSpan, plural, span } from '../terminal/format.ts';
import { scopeWords, stayHint } from './scope-words.ts';
import { clean, displayWidth, type Line, padEnd, painter, paintLine } from '../terminal/text.ts';

export type RobotsFacts = Extract<CrawlEvent, { type: 'robots' }>;

export interface BannerFacts {
  version: string;
  job: Job;
  /** As typed: `example.org`, `job.yml`. */
  typed: string;
  seeds: readonly Url[];
  /** Where the first seed redirected to. */
  redirect?: { to: Url; inScope: boolean };
  robots?: RobotsFacts;
  /** Links in the first sitemap, once it has been read. */
  sitemapUrls?: number;
  folder: string;
  userAgent: string;
  /** The crawl was resumed: an earlier session has read robots.txt, which may not be fetched again. */
  resumed?: boolean;
  /** Origins that may be private because they were typed as seeds. */
  typedPrivate?: readonly string[];
  /** What the crawl is kept in and what that promises, where it is not the folder. */
  store?: string;
  /** Options to name at the right; none where the job comes from a file. */
  hints: boolean;
}

interface Fact {
  name: string;
  text: string;
  hint?: string;
}

/** What the crawl is about to do, as facts that can be checked before it goes far. */
export function banner(facts: BannerFacts, size: { columns: number; colour: boolean }): string[] {
  const paint = painter(size.colour);
  const title: Line = [
    '  ',
    { style: 'strong', text: `webfarer ${facts.version}` },
    `    ${titleText(facts)}`,
  ];
  const rows = [scopeFact(facts), robotsFact(facts), paceFact(facts), limitFact(facts)];
  const shown = shownText(facts.job);
  if (shown !== undefined) rows.push({ name: 'browser', text: shown });
  if (facts.job.login.length > 0) rows.push({ name: 'login', text: loginText(facts.job) });
  if (facts.job.processes > 1)
    rows.push({ name: 'workers', text: `${facts.job.processes} processes`, hint: '--processes N' });
  if (facts.store !== undefined) rows.push({ name: 'store', text: facts.store });
  rows.push({ name: 'saving', text: savingText(facts) });
  rows.push({ name: 'as', text: clean(facts.userAgent), hint: '--contact URL-or-mail' });
  if (facts.typedPrivate?.length) {
    rows.push({ name: 'private', text: `${facts.typedPrivate.join(', ')} is allowed, because you named it` });
  }
  const hinted = rows.filter((row) => row.hint !== undefined);
  const width = Math.min(50, Math.max(...hinted.map((row) => displayWidth(row.text))) + 2);
  return [title, ...rows.map((row) => factLine(row, width, facts.hints))].map((line) =>
    paintLine(line, size.columns, paint),
  );
}

function factLine(fact: Fact, width: number, hints: boolean): Line {
  const name = { style: 'quiet' as const, text: padEnd(fact.name, 8) };
  if (!fact.hint || (!hints && fact.hint.startsWith('--'))) return ['  ', name, ' ', fact.text];
  return ['  ', name, ' ', `${padEnd(fact.text, width)}  `, { style: 'quiet', text: fact.hint }];
}

function titleText({ typed, seeds, redirect, job }: BannerFacts): string {
  const more = seeds.length > 1 ? ` and ${plural(seeds.length - 1, 'more seed')}` : '';
  const name = clean(typed === '' ? job.name : typed) + more;
  if (redirect) {
    const where = redirect.inScope ? 'redirect; both in scope' : 'redirect; out of scope, so not followed';
    return `${name} → ${clean(redirect.to)}  (${where})`;
  }
  const seed = seeds[0];
  return seed !== undefined && seeds.length === 1 && seed !== typed ? `${name} → ${seed}` : name;
}

function scopeFact({ job, seeds }: BannerFacts): Fact {
  return { name: 'scope', text: scopeWords(job, seeds), hint: stayHint(job.scope.stay) };
}

function robotsFact(facts: BannerFacts): Fact {
  const { job } = facts;
  const except =
    job.robots.ignoreFor.length > 0 && !job.robots.obey
      ? `, except on ${job.robots.ignoreFor.join(', ')}`
      : '';
  return { name: 'robots', text: `${robotsText(facts)}${except}` };
}

function robotsText({ robots, sitemapUrls, resumed }: BannerFacts): string {
  if (!robots) return resumed ? 'obeyed (already read)' : 'obeyed; not read yet';
  if (robots.state === 'absent') return 'no robots.txt, so everything is allowed';
  if (robots.state === 'unreachable')
    return `could not be read (${clean(robots.detail ?? 'no answer')}), so nothing may be fetched`;
  const parts = [robots.rules === 0 ? 'no rule for us' : `${plural(robots.rules, 'rule')} for us`];
  if (robots.crawlDelayMs !== undefined) parts.push(`crawl-delay ${span(robots.crawlDelayMs)}`);
  if (robots.sitemaps.length === 1 && sitemapUrls !== undefined)
    parts.push(`sitemap with ${plural(sitemapUrls, 'URL')}`);
  else if (robots.sitemaps.length > 0) parts.push(plural(robots.sitemaps.length, 'sitemap'));
  return `obeyed: ${parts.join(', ')}`;
}

function paceFact({ job, robots }: BannerFacts): Fact {
  const delay = robots?.crawlDelayMs ?? 0;
  const asked = delay > job.politeness.gapMs;
  const gap = Math.max(delay, job.politeness.gapMs);
  const own =
    job.politeness.perHost > 1
      ? `, ${job.politeness.perHost} on ${plural(job.politeness.ownHosts.length, 'own host')}`
      : '';
  return {
    name: 'pace',
    text: `1 request at a time per host${own}, ${span(gap)} apart`,
    hint: asked ? '(the site asks for it)' : '--gap 2s',
  };
}

function limitFact({ job }: BannerFacts): Fact {
  const { pages, bytes: size, durationMs } = job.limits;
  const parts: string[] = [];
  if (pages !== undefined) parts.push(plural(pages, 'page'));
  if (size !== undefined) parts.push(bytes(size));
  if (durationMs !== undefined) parts.push(longSpan(durationMs));
  return { name: 'limit', text: parts.length === 0 ? 'none' : parts.join(', '), hint: '--limit N' };
}

/** Undefined: pages are read as they come. */
function shownText({ render }: Job): string | undefined {
  if (render === 'never') return undefined;
  if (render === 'always') return 'shows every HTML page';
  if (render === 'auto') return 'shows pages of kinds that gain by it';
  return `shows pages by ${plural(render.length, 'rule')} of the job`;
}

function loginText({ login }: Job): string {
  return clean(login.map(({ as, site }) => `${as} of ${site}`).join(', '));
}

function savingText({ job, folder }: BannerFacts): string {
  const kinds = job.save.map((target) => target.kind).filter((kind) => kind !== 'warc');
  if (kinds.length === 0) return folder;
  return kinds.includes('none')
    ? `${folder} (records only, no bodies)`
    : `${folder} (${job.save.map((t) => t.kind).join(', ')})`;
}
