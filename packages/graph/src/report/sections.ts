import type { DroppedReason, PageRecord, Url } from '@webfarer/protocol';
import { droppedReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { isErrorStatus, toneOfStatus } from '@webfarer/protocol/numbers';
import { hostOf } from '@webfarer/protocol/url';
import type { BrokenLink, BrokenLinks } from './survey/broken-links.ts';
import type { Budget } from './markup/budget.ts';
import type { CopyRow } from './survey/copies.ts';
import { bytes, count, percent, plural, took } from './markup/format.ts';
import { type Html, html } from './markup/html.ts';
import { link, shortLink } from './page/parts.ts';
import type { RedirectChain } from './survey/redirects.ts';
import type { HostRow, Survey } from './survey/survey.ts';
import { type Column, tableSection } from './page/table.ts';

const sentences: Record<string, string> = { ...failedReasons, ...refusedReasons };

const urlColumn = (head = 'URL'): Column<PageRecord> => ({
  head,
  kind: 'url',
  cell: (record) =>
    html`${link(record.url)}${record.title ? html`<span class="title"><bdi>${record.title}</bdi></span>` : undefined}`,
});

const statusColumn: Column<PageRecord> = {
  head: 'Answer',
  kind: 'tight',
  cell: (record) => answer(record),
  sortBy: (record) => (record.verdict === 'done' ? (record.status ?? record.reason) : record.reason),
};

const timeColumn: Column<PageRecord> = {
  head: 'Time',
  kind: 'num',
  cell: (record) => html`${took(record.durationMs)}`,
  sortBy: (record) => Math.round(record.durationMs),
};

const sizeColumn: Column<PageRecord> = {
  head: 'Size',
  kind: 'num',
  cell: (record) => html`${bytes(record.bytes)}`,
  sortBy: (record) => record.bytes,
};

const triesColumn: Column<PageRecord> = {
  head: 'Tries',
  kind: 'num',
  cell: (record) => html`${record.attempts}`,
  sortBy: (record) => record.attempts,
};

const referrerColumn: Column<PageRecord> = {
  head: 'First found on',
  kind: 'url',
  cell: (record) => foundOn(record.url, record.referrer ? [record.referrer] : []),
};

const typeColumn: Column<PageRecord> = {
  head: 'Type',
  kind: 'tight',
  cell: (record) => html`${record.mime ?? ''}`,
};

function answer(record: PageRecord): Html {
  const { reason, status } = record;
  if (reason === 'redirect') return html`<span class="tag client">${status} in a circle</span>`;
  // A body that could not be decoded came with 200: the reason is what is wrong.
  if (status !== undefined && isErrorStatus(status))
    return html`<span class="tag ${toneOfStatus(status)}">${status}</span>`;
  return html`<span class="tag failed" title="${sentences[record.reason] ?? ''}">${record.reason}</span>`;
}

/** Links to pages; those on the same host without repeating it. */
function foundOn(url: Url, pages: Url[], all = pages.length): Html {
  if (pages.length === 0) return html`<span class="o">(a seed)</span>`;
  const host = hostOf(url);
  const more =
    all > pages.length ? html`<li>${count(pages.length)} of ${plural(all, 'page')} shown</li>` : undefined;
  return html`<ul>${pages.map((page) => html`<li>${shortLink(page, host)}</li>`)}${more}</ul>`;
}

function reasonColumn(tone: 'failed' | 'refused'): Column<PageRecord> {
  return {
    head: 'Reason',
    kind: 'tight',
    cell: (record) =>
      html`<span class="tag ${tone}" title="${sentences[record.reason] ?? ''}">${record.reason}</span>`,
    sortBy: (record) => record.reason,
  };
}

const detailColumn = (head: string): Column<PageRecord> => ({
  head,
  kind: 'url',
  cell: (record) => html`<bdi>${record.detail ?? sentences[record.reason] ?? ''}</bdi>`,
});

export function brokenSection(broken: BrokenLinks, budget: Budget): Html {
  const { pages, total } = broken;
  const on = (column: Column<PageRecord>): Column<BrokenLink> => {
    const { cell, sortBy, csv, ...rest } = column;
    return {
      ...rest,
      cell: (row) => cell(row.record),
      ...(sortBy && { sortBy: (row: BrokenLink) => sortBy(row.record) }),
      ...(csv && { csv: (row: BrokenLink) => csv(row.record) }),
    };
  };
  return tableSection<BrokenLink>(
    {
      id: 'broken',
      title: 'Broken links',
      lead: html`URLs that answer with an error, not at all, or redirect in a circle, and the pages that link to them${
        pages > 0 ? `: ${plural(pages, 'page')} to fix` : ''
      }.`,
      columns: [
        on(statusColumn),
        on(urlColumn('Link')),
        {
          head: 'On the pages',
          kind: 'url',
          cell: (row) => foundOn(row.record.url, row.pages, row.onPages),
          csv: (row) => (row.pages.length > 1 ? row.pages.join(' ') : undefined),
        },
      ],
      rows: broken.located(),
      total,
      whenEmpty: 'No broken links.',
    },
    budget,
  );
}

export function failedSection(seen: Survey, budget: Budget): Html {
  return tableSection(
    {
      id: 'failed',
      title: 'Failed',
      lead: html`Given up after the last attempt. <code>webfarer retry</code> requeues them.`,
      columns: [
        reasonColumn('failed'),
        urlColumn(),
        detailColumn('What was seen'),
        triesColumn,
        referrerColumn,
      ],
      rows: seen.failed.rows,
      total: seen.failed.total,
      whenEmpty: 'Nothing failed.',
    },
    budget,
  );
}

export function refusedSection(seen: Survey, budget: Budget): Html {
  return tableSection(
    {
      id: 'refused',
      title: 'Refused',
      lead: html`Known, but not fetched or not kept: by robots.txt, by the policy, or by a limit.`,
      columns: [reasonColumn('refused'), urlColumn(), detailColumn('What decided'), referrerColumn],
      rows: seen.refused.rows,
      total: seen.refused.total,
      whenEmpty: 'Nothing was refused.',
    },
    budget,
  );
}

export function slowSection(seen: Survey, budget: Budget): Html {
  const total = Math.ceil(seen.statistics.times.total / 20);
  const rows = seen.slow.sorted().slice(0, total);
  const least = rows.at(-1)?.durationMs ?? 0;
  return tableSection(
    {
      id: 'slow',
      title: 'Slow pages',
      lead: html`The slowest twentieth: ${took(least)} or more from the request to the last byte. Half of all answers took ${took(seen.statistics.times.quantile(0.5))} or less.`,
      columns: [timeColumn, urlColumn(), statusColumnPlain, sizeColumn],
      rows,
      total,
      whenEmpty: 'Nothing was fetched.',
    },
    budget,
  );
}

const statusColumnPlain: Column<PageRecord> = {
  head: 'Status',
  kind: 'num',
  cell: (record) => html`${record.status}`,
  sortBy: (record) => record.status ?? 0,
};

export function largestSection(seen: Survey, budget: Budget): Html {
  const rows = seen.largest.sorted();
  return tableSection(
    {
      id: 'largest',
      title: 'Largest files',
      lead: html`By bytes on the wire${
        seen.truncated > 0 ? `; ${plural(seen.truncated, 'body was', 'bodies were')} cut short` : ''
      }.`,
      columns: [
        sizeColumn,
        urlColumn(),
        typeColumn,
        timeColumn,
        { head: 'Cut', kind: 'tight', cell: (record) => html`${record.truncated ?? ''}` },
      ],
      rows,
      total: rows.length,
      whenEmpty: 'Nothing was fetched.',
    },
    budget,
  );
}

export function emptySection(seen: Survey, budget: Budget): Html {
  return tableSection(
    {
      id: 'empty',
      title: 'Pages that look empty without JavaScript',
      lead: html`Almost no text or links of their own, but scripts: what visitors see there is not in this crawl.`,
      columns: [urlColumn(), sizeColumn, referrerColumn],
      rows: seen.empty.rows,
      total: seen.empty.total,
      whenEmpty: 'None: all pages have content of their own.',
    },
    budget,
  );
}

export function droppedSection(dropped: Partial<Record<DroppedReason, number>>, budget: Budget): Html {
  const rows = Object.entries(dropped)
    .map(([reason, links]) => ({ reason: reason as DroppedReason, links: links ?? 0 }))
    .filter((row) => row.links > 0)
    .sort((a, b) => b.links - a.links);
  const all = rows.reduce((sum, row) => sum + row.links, 0);
  return tableSection(
    {
      id: 'dropped',
      title: 'Links not followed',
      lead: html`${plural(all, 'link')} found on pages but not queued. They are counted, not stored.`,
      columns: [
        { head: 'Reason', kind: 'tight', cell: (row) => html`<span class="tag">${row.reason}</span>` },
        { head: 'Meaning', cell: (row) => html`${droppedReasons[row.reason]}` },
        { head: 'Links', kind: 'num', cell: (row) => html`${count(row.links)}`, sortBy: (row) => row.links },
        {
          head: 'Share',
          kind: 'num',
          cell: (row) => html`${percent(row.links, all)}`,
          sortBy: (row) => row.links / all,
        },
      ],
      rows,
      total: rows.length,
      figure: all,
      whenEmpty: 'Every link was queued.',
    },
    budget,
  );
}

export function hostsSection(seen: Survey, maxRows: number, budget: Budget): Html {
  const all = [...seen.hosts.values()].sort((a, b) => b.records - a.records || (a.host < b.host ? -1 : 1));
  const figure = (head: string, of: (row: HostRow) => number, show = count): Column<HostRow> => ({
    head,
    kind: 'num',
    cell: (row) => html`${show(of(row))}`,
    sortBy: (row) => Math.round(of(row)),
  });
  return tableSection<HostRow>(
    {
      id: 'hosts',
      title: 'Hosts',
      lead: html`What each host answered${
        seen.recordsOfOtherHosts > 0
          ? `; ${plural(seen.recordsOfOtherHosts, 'record')} of further hosts are not in this table`
          : ''
      }.`,
      columns: [
        { head: 'Host', kind: 'url', cell: (row) => html`<bdi>${row.host}</bdi>` },
        figure('Pages', (row) => row.pages),
        figure('Errors', (row) => row.errors),
        figure('Refused', (row) => row.refused),
        figure('Received', (row) => row.bytes, bytes),
        figure(
          'Median time',
          (row) => (row.times.total > 0 ? row.times.quantile(0.5) : 0),
          (ms) => (ms === 0 ? '–' : took(ms)),
        ),
      ],
      rows: all.slice(0, maxRows),
      total: all.length,
      whenEmpty: 'No host was contacted.',
    },
    budget,
  );
}

export function reasonsSection(counts: [string, number][], budget: Budget): Html {
  const all = counts.reduce((sum, [, n]) => sum + n, 0);
  return tableSection<[string, number]>(
    {
      id: 'counts',
      title: 'Status and reason counts',
      lead: html`How all settled URLs ended.`,
      columns: [
        { head: 'Outcome', kind: 'tight', cell: ([name]) => html`${name}` },
        { head: 'URLs', kind: 'num', cell: ([, n]) => html`${count(n)}`, sortBy: ([, n]) => n },
        { head: 'Share', kind: 'num', cell: ([, n]) => html`${percent(n, all)}`, sortBy: ([, n]) => n / all },
      ],
      rows: counts,
      total: counts.length,
      whenEmpty: 'Nothing is settled yet.',
    },
    budget,
  );
}

export function redirectsSection(chains: RedirectChain[], maxRows: number, budget: Budget): Html {
  return tableSection<RedirectChain>(
    {
      id: 'redirects',
      title: 'Redirect chains',
      lead: html`Two or more redirects in a row cost visitors time; loops never end.`,
      columns: [
        {
          head: 'Hops',
          kind: 'num',
          cell: ({ hops, loops }) => (loops ? html`<span class="tag failed">circle</span>` : html`${hops}`),
          sortBy: ({ hops, loops }) => (loops ? 99 : hops),
        },
        { head: 'From', kind: 'url', cell: ({ from }) => link(from) },
        { head: 'To', kind: 'url', cell: ({ from, to }) => shortLink(to, hostOf(from)) },
      ],
      rows: chains.slice(0, maxRows),
      total: chains.length,
      whenEmpty: 'No redirect leads to another.',
    },
    budget,
  );
}

export function copiesSection(seen: Survey, maxRows: number, budget: Budget): Html {
  const rows = seen.copies.repeated();
  const copies = rows.reduce((sum, row) => sum + row.urls - 1, 0);
  return tableSection<CopyRow>(
    {
      id: 'copies',
      title: 'The same content under several URLs',
      lead: html`${plural(copies, 'page is', 'pages are')} byte for byte the same as another.`,
      columns: [
        { head: 'URLs', kind: 'num', cell: ({ urls }) => html`${count(urls)}`, sortBy: ({ urls }) => urls },
        { head: 'First seen at', kind: 'url', cell: ({ first }) => link(first) },
      ],
      rows: rows.slice(0, maxRows),
      total: rows.length,
      whenEmpty: 'No two pages are the same.',
    },
    budget,
  );
}

export function orphansSection({ rows, total }: { rows: Url[]; total: number }, budget: Budget): Html {
  return tableSection<Url>(
    {
      id: 'orphans',
      title: 'Only in the sitemap',
      lead: html`Listed in a sitemap, but no fetched page links to them.`,
      columns: [{ head: 'URL', kind: 'url', cell: (url) => link(url) }],
      rows,
      total,
      whenEmpty: 'None: every URL in a sitemap is also linked from a page.',
    },
    budget,
  );
}
