import { Sketch } from '../stats/sketch.ts';
import { momentKinds, type Statistics } from '../stats/statistics.ts';
import type { Budget } from './markup/budget.ts';
import { figure } from './figures/figure.ts';
import { bytes, count, percent, took } from './markup/format.ts';
import { type Html, html, join } from './markup/html.ts';
import { barList, link, type Slice } from './page/parts.ts';
import { tableSection } from './page/table.ts';
import { outcomeTones } from './survey/tones.ts';

/** A page that is not as it was. */
export interface ChangedPage {
  url: string;
  title?: string;
  status?: number;
  why?: string;
}

/** Another crawl that this one is compared with. */
export interface Compared {
  name: string;
  statistics: Statistics;
  changes: Record<'new' | 'changed' | 'gone', { total: number; rows: ChangedPage[] }>;
}

interface Figure {
  name: string;
  of: (statistics: Statistics) => number;
  show: (value: number) => string;
}

const figures: Figure[] = [
  { name: 'URLs', of: (s) => s.urls, show: count },
  { name: 'Pages', of: (s) => s.pages, show: count },
  { name: 'Hosts', of: (s) => s.distinct.hosts.distinct, show: count },
  { name: 'Sites', of: (s) => s.distinct.sites.distinct, show: count },
  { name: 'Different contents', of: (s) => s.distinct.contents.distinct, show: count },
  { name: 'Received', of: (s) => s.bytes, show: bytes },
  { name: 'Median answer', of: (s) => (s.times.total > 0 ? s.times.quantile(0.5) : 0), show: took },
  { name: '95 % within', of: (s) => (s.times.total > 0 ? s.times.quantile(0.95) : 0), show: took },
];

/** How this crawl differs from another. */
export function compareChapter(now: Statistics, compared: Compared, budget: Budget): Html {
  const { name, changes } = compared;
  return join([
    html`<h2 class="chapter" id="compare">Compared with <bdi>${name}</bdi></h2>\n`,
    html`<div class="grid">${outcomeFigure(now, compared, budget)}${overlapFigure(now, compared, budget)}</div>\n`,
    figureTable(now, compared, budget),
    changeTable(
      { id: 'new', title: 'New pages', lead: 'In this crawl, but not in the other one.' },
      changes.new,
      budget,
    ),
    changeTable(
      { id: 'changed', title: 'Changed pages', lead: 'In both crawls, with different content.' },
      changes.changed,
      budget,
    ),
    changeTable(
      {
        id: 'gone',
        title: 'Pages that are gone',
        lead: 'Pages of the other crawl that are not in this one.',
      },
      changes.gone,
      budget,
    ),
  ]);
}

function outcomeFigure(now: Statistics, { statistics: before }: Compared, budget: Budget): Html {
  const [old, fresh] = [outcomes(before), outcomes(now)];
  const [all, total] = [before.urls || 1, now.urls || 1];
  const bars = outcomeTones.flatMap(({ name, tone }, i): Slice[] => [
    { label: `${name} before`, value: (old[i] ?? 0) / all, tone: 'queued' },
    { label: `${name} now`, value: (fresh[i] ?? 0) / total, tone },
  ]);
  return figure(
    {
      id: 'compare-outcomes',
      title: 'How URLs ended',
      lead: 'As a share of all URLs of each crawl.',
      picture: barList(bars, { max: 12, show: (share) => percent(share, 1), whole: 1 }),
      data: {
        head: ['outcome', 'before', 'now'],
        rows: outcomeTones.map(({ name }, i) => [name, old[i] ?? 0, fresh[i] ?? 0]),
      },
    },
    budget,
  );
}

/** Numbers of URLs by outcome, in the order of `outcomeTones`. */
function outcomes({ timeline }: Statistics): number[] {
  const sums = momentKinds.map(() => 0);
  for (const { counts } of timeline.moments()) counts.forEach((n, i) => (sums[i] = (sums[i] ?? 0) + n));
  return sums.slice(0, outcomeTones.length);
}

const shared = ['urls', 'contents', 'hosts', 'sites'] as const;

function overlapFigure(now: Statistics, { statistics: before }: Compared, budget: Budget): Html {
  const rows = shared.map((what) => {
    const { both, either } = Sketch.overlap(before.distinct[what], now.distinct[what]);
    return { what, before: before.distinct[what].distinct, now: now.distinct[what].distinct, both, either };
  });
  return figure(
    {
      id: 'compare-overlap',
      title: 'What both have in common',
      lead: 'Of all that is in either crawl, the share that is in both.',
      picture: barList(
        rows.map(({ what, both, either }) => ({
          label: what,
          value: either === 0 ? 0 : both / either,
          tone: 'done',
        })),
        { show: (share) => percent(share, 1) },
      ),
      data: {
        head: ['what', 'before', 'now', 'both', 'either'],
        rows: rows.map((row) => [row.what, row.before, row.now, row.both, row.either]),
      },
    },
    budget,
  );
}

function figureTable(now: Statistics, { statistics: before }: Compared, budget: Budget): Html {
  const number = (head: string, of: (f: Figure) => number, show: (f: Figure) => string) => ({
    head,
    kind: 'num' as const,
    cell: (row: Figure) => html`${show(row)}`,
    sortBy: (row: Figure) => Math.round(of(row)),
  });
  return tableSection<Figure>(
    {
      id: 'compare-figures',
      title: 'Figures',
      lead: html`The other crawl first.`,
      columns: [
        { head: 'Figure', kind: 'tight', cell: (row) => html`${row.name}` },
        number(
          'Before',
          (f) => f.of(before),
          (f) => f.show(f.of(before)),
        ),
        number(
          'Now',
          (f) => f.of(now),
          (f) => f.show(f.of(now)),
        ),
        number(
          'Difference',
          (f) => f.of(now) - f.of(before),
          (f) => change(f.of(before), f.of(now)),
        ),
      ],
      rows: figures,
      total: figures.length,
      whenEmpty: '',
    },
    budget,
  );
}

function change(before: number, now: number): string {
  if (before === now) return '=';
  if (before === 0) return 'new';
  const share = (100 * (now - before)) / before;
  return `${share > 0 ? '+' : '−'}${Math.abs(share) < 10 ? Math.abs(share).toFixed(1) : count(Math.abs(share))} %`;
}

function changeTable(
  { id, title, lead }: { id: string; title: string; lead: string },
  { rows, total }: Compared['changes']['new'],
  budget: Budget,
): Html {
  return tableSection<ChangedPage>(
    {
      id,
      title,
      lead: html`${lead}`,
      columns: [
        {
          head: 'URL',
          kind: 'url',
          cell: ({ url, title: name }) =>
            html`${link(url)}${name ? html`<span class="title"><bdi>${name}</bdi></span>` : undefined}`,
        },
        {
          head: 'Status',
          kind: 'num',
          cell: ({ status }) => html`${status}`,
          sortBy: ({ status }) => status ?? 0,
        },
        { head: 'Why', kind: 'url', cell: ({ why }) => html`<bdi>${why ?? ''}</bdi>` },
      ],
      rows,
      total,
      whenEmpty: 'None.',
      restIn: 'webfarer report --compare … --json',
    },
    budget,
  );
}
