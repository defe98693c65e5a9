import type { CrawlSnapshot } from '@webfarer/protocol';
import { toneOfStatus } from '@webfarer/protocol/numbers';
import { sizeEdges, timeEdges } from '../../stats/stat-tables.ts';
import type { Histogram } from '../../stats/histogram.ts';
import type { Budget } from '../markup/budget.ts';
import { figure } from './figure.ts';
import { bytes, plural, took } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { barList, type Slice } from '../page/parts.ts';
import { boxPlot, type Spread } from '../plot/boxes.ts';
import { columnChart } from '../plot/columns.ts';
import type { HostRow, Survey } from '../survey/survey.ts';
import { outcomeTones, type Tone } from '../survey/tones.ts';

/** Status, depth, time and size of what was answered. */
export function answerFigures(seen: Survey, budget: Budget): Html {
  if (seen.statistics.answers === 0) return html``;
  return html`<div class="grid">${statusFigure(seen, budget)}${depthFigure(seen, budget)}${histogramFigure(
    {
      id: 'answer-times',
      title: 'Answer times',
      lead: `From the request to the last byte: half within ${took(seen.statistics.times.quantile(0.5))}, 95 % within ${took(seen.statistics.times.quantile(0.95))}.`,
      unit: 'ms',
      values: seen.statistics.times,
      edges: timeEdges,
      show: took,
      tone: 'accent',
    },
    budget,
  )}${latencyFigure(seen, budget)}${histogramFigure(
    {
      id: 'sizes',
      title: 'Sizes of bodies',
      lead: `Half are no larger than ${bytes(seen.statistics.sizes.quantile(0.5))}. Classes grow by a factor of about three.`,
      unit: 'bytes',
      values: seen.statistics.sizes,
      edges: sizeEdges,
      show: bytes,
      tone: 'c2',
    },
    budget,
  )}${redirectFigure(seen, budget)}</div>
`;
}

/** Beside charts, a list of so few bars leaves most of its card empty. */
const fewRows = 4;

function redirectFigure({ redirects }: Survey, budget: Budget): Html {
  const lengths = redirects.lengths();
  const bars = lengths
    .map(
      (value, hops): Slice => ({
        label: hops === 0 ? 'in a circle' : plural(hops, 'hop'),
        value,
        tone: hops === 0 ? 'failed' : 'accent',
      }),
    )
    .filter(({ value }) => value > 0);
  return figure(
    {
      id: 'redirect-lengths',
      title: 'Redirects',
      short: bars.length <= fewRows,
      lead: `${plural(redirects.total, 'URL redirects', 'URLs redirect')}. Chains by their length, each counted from its beginning.`,
      picture:
        bars.length === 0
          ? html`<p class="none">No redirects.</p>`
          : barList(bars, { max: 10, rest: 'longer' }),
      data: { head: ['hops (0: a circle)', 'chains'], rows: lengths.map((n, hops) => [hops, n]) },
    },
    budget,
  );
}

function statusFigure({ statistics }: Survey, budget: Budget): Html {
  const rows = statistics.rows('status');
  return figure(
    {
      id: 'status',
      title: 'Status',
      short: rows.length <= fewRows,
      lead: 'Last response of each URL.',
      picture: barList(
        rows.map(({ key, urls }) => ({ label: key, value: urls, tone: toneOfStatus(Number(key)) })),
      ),
      data: {
        head: ['status', 'urls', 'pages', 'bytes'],
        rows: rows.map((r) => [r.key, r.urls, r.pages, r.bytes]),
      },
    },
    budget,
  );
}

/** Depths that together hold all but this share of URLs are drawn one by one. */
const tail = 0.005;

/** The few URLs that are very deep become one column. */
function depthColumns(depths: readonly number[][]): { label: string; counts: number[] }[] {
  const sum = (rows: readonly number[][]) => rows.flat().reduce((all, n) => all + n, 0);
  const whole = sum(depths);
  let last = depths.findIndex((_, i) => sum(depths.slice(i + 1)) <= tail * whole);
  last = Math.max(last, Math.min(11, depths.length - 1));
  const shown = depths.slice(0, last + 1).map((counts, depth) => ({ label: String(depth), counts }));
  const rest = depths.slice(last + 1);
  if (rest.length === 0) return shown;
  const counts = outcomeTones.map((_, i) => rest.reduce((all, row) => all + (row[i] ?? 0), 0));
  return [...shown, { label: `${last + 1}+`, counts }];
}

function depthFigure({ depths }: Survey, budget: Budget): Html {
  return figure(
    {
      id: 'depth',
      title: 'Links from a seed',
      lead: 'How many clicks away each URL was first found.',
      picture: columnChart(
        'URLs by the number of links from a seed',
        depthColumns(depths).map(({ label, counts }) => ({
          label,
          parts: outcomeTones.map(({ name, tone }, i) => ({ name, tone, value: counts[i] ?? 0 })),
        })),
      ),
      legend: [...outcomeTones],
      data: {
        head: ['depth', ...outcomeTones.map(({ name }) => name)],
        rows: depths.map((counts, depth) => [depth, ...counts]),
      },
    },
    budget,
  );
}

interface HistogramFigure {
  id: string;
  title: string;
  lead: string;
  unit: string;
  values: Histogram;
  edges: number[];
  show: (value: number) => string;
  tone: Tone;
}

function histogramFigure(options: HistogramFigure, budget: Budget): Html {
  const { id, title, lead, unit, values, edges, show, tone } = options;
  const sums = values.between(edges);
  const first = Math.max(0, sums.findIndex((n) => n > 0) - 1);
  const last = Math.min(sums.length, sums.findLastIndex((n) => n > 0) + 2);
  const label = (i: number) =>
    i < edges.length ? `≤ ${show(edges[i] ?? 0)}` : `> ${show(edges.at(-1) ?? 0)}`;
  const classes = sums.map((value, i) => ({ i, value })).slice(first, last);
  return figure(
    {
      id,
      title,
      lead,
      picture: columnChart(
        title,
        classes.map(({ i, value }) => ({ label: label(i), parts: [{ name: 'answers', value, tone }] })),
      ),
      data: {
        head: [`above ${unit}`, `up to ${unit}`, 'answers'],
        rows: classes.map(({ i, value }) => [edges[i - 1] ?? 0, edges[i], value]),
      },
    },
    budget,
  );
}

const maxBoxes = 12;

function latencyFigure({ hosts }: Survey, budget: Budget): Html {
  const rows = [...hosts.values()]
    .filter((row) => row.times.total > 0)
    .sort((a, b) => b.times.total - a.times.total);
  const spreads = rows.slice(0, 200).map(spreadOf);
  return figure(
    {
      id: 'latency',
      title: 'Answer time by host',
      short: spreads.length <= fewRows,
      lead: `The box holds half of the responses, the whiskers nine tenths${rows.length > maxBoxes ? `; the ${maxBoxes} hosts with the most responses` : ''}.`,
      picture: boxPlot('Spread of answer times for each host', spreads.slice(0, maxBoxes)),
      data: {
        head: ['host', 'answers', 'p5 ms', 'p25 ms', 'p50 ms', 'p75 ms', 'p95 ms'],
        rows: spreads.map(({ label, n, at }) => [label, n, ...at.map((ms) => Math.round(ms * 10) / 10)]),
      },
    },
    budget,
  );
}

function spreadOf({ host, times }: HostRow): Spread {
  const q = (share: number) => times.quantile(share);
  return { label: host, n: times.total, at: [q(0.05), q(0.25), q(0.5), q(0.75), q(0.95)] };
}

/** What was left out, and by which rule. */
export function exclusionFigures(seen: Survey, snapshot: CrawlSnapshot, budget: Budget): Html {
  const refused = seen.refusedBy.sorted().map(([key, n]) => {
    const [reason = '', rule = ''] = key.split('\n');
    return { reason, rule, n };
  });
  const dropped = Object.entries(snapshot.dropped)
    .map(([reason, n]) => ({ reason, n: n ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n);
  return html`<div class="grid">${figure(
    {
      id: 'exclusions',
      title: 'Refused, by the rule that decided',
      lead: 'URLs that were known but not fetched or not kept.',
      picture:
        refused.length === 0
          ? html`<p class="none">Nothing was refused.</p>`
          : barList(
              refused.map(({ reason, rule, n }) => ({
                label: rule.startsWith(reason) ? rule : rule ? `${reason}: ${rule}` : reason,
                value: n,
                tone: 'refused',
              })),
              { max: 10, rest: 'other rules' },
            ),
      data: {
        head: ['reason', 'rule', 'urls'],
        rows: refused.map(({ reason, rule, n }) => [reason, rule, n]),
      },
    },
    budget,
  )}${figure(
    {
      id: 'left-out',
      title: 'Links not queued, by reason',
      lead: 'Found on pages, counted, not stored.',
      picture:
        dropped.length === 0
          ? html`<p class="none">Every link was queued.</p>`
          : barList(
              dropped.map(({ reason, n }) => ({ label: reason, value: n, tone: 'queued' })),
              { max: 10 },
            ),
      data: { head: ['reason', 'links'], rows: dropped.map(({ reason, n }) => [reason, n]) },
    },
    budget,
  )}</div>
`;
}
