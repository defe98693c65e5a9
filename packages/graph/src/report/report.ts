import type { CrawlSnapshot, PageRecord } from '@webfarer/protocol';
import type { Limits } from '@webfarer/protocol/job';
import { writeDurably } from '@webfarer/protocol/node';
import { answerFigures, exclusionFigures } from './figures/answer-figures.ts';
import { listedRows } from './survey/broken-links.ts';
import { Budget } from './markup/budget.ts';
import { type Compared, compareChapter } from './compare.ts';
import { contentFigures } from './figures/content-figures.ts';
import { count } from './markup/format.ts';
import { hostFigures } from './figures/host-figures.ts';
import { hostMap } from './survey/host-map.ts';
import { type Html, html, join, trusted } from './markup/html.ts';
import { type LinkSurvey, type PackedPage, surveyLinks } from './survey/links.ts';
import { balanceCard, findings, headline, tiles } from './overview.ts';
import { pageScript } from './page/page-script.ts';
import { securityPolicy } from './page/policy.ts';
import {
  brokenSection,
  copiesSection,
  droppedSection,
  emptySection,
  failedSection,
  hostsSection,
  largestSection,
  orphansSection,
  reasonsSection,
  redirectsSection,
  refusedSection,
  slowSection,
} from './sections.ts';
import { type Structure, structureFigures } from './figures/structure-figures.ts';
import { style } from './page/style.ts';
import { emptySurvey, note, type Survey } from './survey/survey.ts';
import { timeFigures } from './figures/time-figures.ts';

export interface ReportOptions {
  /** Where to write it. It appears whole, or the one before it stays. */
  file: string;
  snapshot: CrawlSnapshot;
  limits?: Partial<Limits>;
  /** Results that were not available, so the report does not include them. */
  absent?: number;
  records: () => AsyncIterable<PageRecord>;
  /** The links of each page. */
  edges: () => AsyncIterable<PackedPage>;
  /** Another crawl to compare this one with. */
  compared?: Compared;
  /** Rows of a table at most; the rest is counted and in results.jsonl. */
  maxRows?: number;
}

/** For all tables and the data of all pictures together, so that a report stays below 5 MB however large the crawl. */
const maxBytes = 3_200_000;

/** More cannot be told apart. */
const mapSize = { maxHosts: 150, maxLinks: 900 };

/** One self-contained page about a crawl: no server, no other files, nothing from the network. */
export async function writeReport(options: ReportOptions): Promise<void> {
  await writeDurably(options.file, await renderReport(options));
}

export async function renderReport(options: Omit<ReportOptions, 'file'>): Promise<string> {
  const report = beginReport(options);
  for await (const record of options.records()) report.add(record);
  return await report.finish(options.edges());
}

/** A report by those who read the records for something else as well: every record first, then all links. */
export interface BegunReport {
  add(record: PageRecord): void;
  finish(edges: AsyncIterable<PackedPage>): Promise<string>;
}

export function beginReport(options: Omit<ReportOptions, 'file' | 'records' | 'edges'>): BegunReport {
  const seen = emptySurvey(options.maxRows ?? listedRows);
  return {
    add: (record) => note(seen, record),
    finish: (edges) => render(options, seen, edges),
  };
}

async function render(
  options: Omit<ReportOptions, 'file' | 'records' | 'edges'>,
  seen: Survey,
  edges: AsyncIterable<PackedPage>,
): Promise<string> {
  const { snapshot, limits = {}, maxRows = listedRows } = options;
  const links = await surveyLinks(edges, { broken: seen.broken, maxRows });
  const map = await hostMap(links.hosts, { ...mapSize, crawled: (host) => seen.hosts.has(host) });
  const budget = new Budget(maxBytes);
  const body = join([
    headline(snapshot, seen, limits),
    navigation(seen),
    html`<main class="wrap" id="main">`,
    balanceCard(snapshot, options.absent),
    tiles(snapshot, seen),
    findings(snapshot, seen),
    ...(options.compared ? [compareChapter(seen.statistics, options.compared, budget)] : []),
    ...pictures(snapshot, seen, { links, map }, budget),
    chapter('lists', 'Lists'),
    jumps(seen),
    ...lists(snapshot, { seen, links, broken: brokenSection(seen.broken, budget), maxRows }, budget),
    html`</main>`,
  ]);
  return page(snapshot.name, body).html;
}

function pictures(snapshot: CrawlSnapshot, seen: Survey, structure: Structure, budget: Budget): Html[] {
  const chapters: [string, string, Html][] = [
    ['time', 'Over time', timeFigures(seen, budget)],
    ['answers', 'Answers', answerFigures(seen, budget)],
    ['content', 'Content', contentFigures(seen, budget)],
    ['structure', 'Structure', join([hostFigures(seen, budget), structureFigures(seen, structure, budget)])],
    ['out', 'Left out', exclusionFigures(seen, snapshot, budget)],
  ];
  return chapters
    .filter(([, , inner]) => inner.html !== '')
    .flatMap(([id, name, inner]) => [chapter(id, name), inner]);
}

function chapter(id: string, name: string): Html {
  return html`<h2 class="chapter" id="${id}">${name}</h2>\n`;
}

/** The way to each list. */
function jumps(seen: Survey): Html {
  const all: [string, string][] = [
    ['broken', `Broken links ${count(seen.broken.total)}`],
    ['failed', `Failed ${count(seen.failed.total)}`],
    ['refused', `Refused ${count(seen.refused.total)}`],
    ['redirects', 'Redirect chains'],
    ['hosts', 'Hosts'],
    ['orphans', 'Only in the sitemap'],
    ['copies', 'Same content'],
    ['slow', 'Slow pages'],
    ['largest', 'Largest files'],
    ['empty', `Look empty ${count(seen.empty.total)}`],
    ['dropped', 'Links not followed'],
    ['counts', 'Counts'],
  ];
  return html`<ul class="jump">${all.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>\n`;
}

interface ListParts {
  seen: Survey;
  links: LinkSurvey;
  broken: Html;
  maxRows: number;
}

function lists(snapshot: CrawlSnapshot, { seen, links, broken, maxRows }: ListParts, budget: Budget): Html[] {
  return [
    broken,
    failedSection(seen, budget),
    refusedSection(seen, budget),
    redirectsSection(seen.redirects.chains(), maxRows, budget),
    hostsSection(seen, maxRows, budget),
    orphansSection(links.onlyInSitemap, budget),
    copiesSection(seen, maxRows, budget),
    slowSection(seen, budget),
    largestSection(seen, budget),
    emptySection(seen, budget),
    droppedSection(snapshot.dropped, budget),
    reasonsSection(outcomeCounts(snapshot), budget),
  ];
}

function outcomeCounts(snapshot: CrawlSnapshot): [string, number][] {
  const statuses = Object.entries(snapshot.byStatus).map(([status, n]): [string, number] => [
    `HTTP ${status}`,
    n,
  ]);
  const doneReasons = new Set(['ok', 'redirect', 'not-modified', 'http-4xx', 'http-other']);
  const reasons = Object.entries(snapshot.byReason)
    .filter(([reason]) => !doneReasons.has(reason))
    .map(([reason, n]): [string, number] => [reason, n ?? 0]);
  return [...statuses, ...reasons].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
}

function navigation(seen: Survey): Html {
  const links: [string, string, number?, boolean?][] = [
    ['top', 'Overview'],
    ['time', 'Over time'],
    ['answers', 'Answers'],
    ['content', 'Content'],
    ['structure', 'Structure'],
    ['out', 'Left out'],
    ['broken', 'Broken links', seen.broken.total, true],
    ['failed', 'Failed', seen.failed.total, true],
    ['refused', 'Refused', seen.refused.total],
    ['redirects', 'Redirects'],
    ['hosts', 'Hosts'],
    ['lists', 'More lists'],
  ];
  return html`<nav aria-label="Sections"><ul class="wrap">${links.map(
    ([id, name, n, bad]) =>
      html`<li><a href="#${id}"${bad && n ? html` class="bad"` : undefined}>${name}${
        n === undefined ? undefined : html`<span class="n">${count(n)}</span>`
      }</a></li>`,
  )}</ul></nav>
`;
}

function page(name: string, body: Html): Html {
  const script = pageScript('report-page');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(securityPolicy({ style, script }))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="Webfarer">
<title>${name}: crawl report</title>
<style>${trusted(style)}</style>
</head>
<body id="top">
<a class="skip" href="#main">Skip to the report</a>
${body}<footer class="wrap">Every figure here comes from the crawl's committed records. The same data, complete: <code>results.jsonl</code> · <code>webfarer export --csv</code></footer>
<script>${trusted(script)}</script>
</body>
</html>
`;
}
