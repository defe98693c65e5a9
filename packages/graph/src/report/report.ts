import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import type { CrawlSnapshot, Limits, PageRecord, Url } from '@webfarer/protocol';
import { count } from './format.ts';
import { type Html, html, join, trusted } from './html.ts';
import { balanceCard, findings, headline, pictures, tiles } from './overview.ts';
import { script } from './script.ts';
import {
  type BrokenRow,
  brokenSection,
  droppedSection,
  emptySection,
  failedSection,
  hostsSection,
  largestSection,
  reasonsSection,
  refusedSection,
  slowSection,
} from './sections.ts';
import { style } from './style.ts';
import { type Survey, survey } from './survey.ts';

export interface ReportOptions {
  /** Where to write it. It appears whole, or the one before it stays. */
  file: string;
  snapshot: CrawlSnapshot;
  limits?: Partial<Limits>;
  /** Results that were not at hand, so that nothing below tells of them. */
  absent?: number;
  records: () => AsyncIterable<PageRecord>;
  /** Some of the pages that link to each of these URLs. */
  linksTo: (urls: ReadonlySet<Url>) => Promise<Map<Url, Url[]>>;
  /** Rows of a table at most; the rest is counted and in results.jsonl. */
  maxRows?: number;
}

/** One self-contained page about a crawl: no server, no other files, nothing from the network. */
export async function writeReport(options: ReportOptions): Promise<void> {
  const text = await renderReport(options);
  const fresh = `${options.file}.new`;
  const handle = await open(fresh, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, options.file);
}

export async function renderReport(options: Omit<ReportOptions, 'file'>): Promise<string> {
  const { snapshot, limits = {}, maxRows = 2_000 } = options;
  const seen = await survey(options.records(), maxRows);
  const { rows, pages } = await brokenRows(seen, options.linksTo);
  const body = join([
    headline(snapshot, seen, limits),
    navigation(seen),
    html`<main class="wrap" id="main">`,
    balanceCard(snapshot, options.absent),
    tiles(snapshot, seen),
    findings(snapshot, seen, pages),
    pictures(seen),
    brokenSection(seen, rows, pages),
    failedSection(seen),
    refusedSection(seen),
    slowSection(seen),
    largestSection(seen),
    emptySection(seen),
    droppedSection(snapshot.dropped),
    hostsSection(seen, maxRows),
    reasonsSection(outcomeCounts(snapshot)),
    html`</main>`,
  ]);
  return page(snapshot.name, body).html;
}

/** The pages each broken link is on; the page it was first found on where the graph knows none. */
async function brokenRows(
  seen: Survey,
  linksTo: ReportOptions['linksTo'],
): Promise<{ rows: BrokenRow[]; pages: number }> {
  const rows: BrokenRow[] = [];
  const pages = new Set<string>();
  const known = await linksTo(new Set(seen.broken.rows.map((record) => record.url)));
  for (const record of seen.broken.rows) {
    const found = known.get(record.url) ?? [];
    const on = found.length > 0 ? found : record.referrer ? [record.referrer] : [];
    for (const url of on) pages.add(url);
    rows.push({ record, pages: on });
  }
  return { rows, pages: pages.size };
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
  const links: [string, string, number | undefined, boolean][] = [
    ['look', 'Overview', undefined, false],
    ['broken', 'Broken links', seen.broken.total, true],
    ['failed', 'Failed', seen.failed.total, true],
    ['refused', 'Refused', seen.refused.total, false],
    ['slow', 'Slow', undefined, false],
    ['largest', 'Largest', undefined, false],
    ['empty', 'Empty', seen.empty.total, false],
    ['dropped', 'Not followed', undefined, false],
    ['hosts', 'Hosts', seen.hosts.size, false],
    ['counts', 'Counts', undefined, false],
  ];
  return html`<nav aria-label="Sections"><ul class="wrap">${links.map(
    ([id, name, n, bad]) =>
      html`<li><a href="#${id}"${bad && n ? html` class="bad"` : undefined}>${name}${
        n === undefined ? undefined : html`<span class="n">${count(n)}</span>`
      }</a></li>`,
  )}</ul></nav>
`;
}

/** Only this style and this script may act: whatever a crawled page put into a title or URL stays text. */
function page(name: string, body: Html): Html {
  const policy = [
    "default-src 'none'",
    `style-src '${sha256(style)}'`,
    `script-src '${sha256(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
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

function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
