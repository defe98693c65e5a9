import { momentKinds } from '../../stats/statistics.ts';
import type { Moments } from '../../stats/timeline.ts';
import type { Budget } from '../markup/budget.ts';
import { figure } from './figure.ts';
import { bytes, count, span } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { type Stretch, stretchesOf, timeChart } from '../plot/over-time.ts';
import { short } from '../plot/scale.ts';
import { half, whole } from '../plot/svg.ts';
import type { Survey } from '../survey/survey.ts';
import { outcomeTones } from '../survey/tones.ts';

const bytesAt = momentKinds.indexOf('bytes');

/** How fast the crawl was, what came in, and what was wrong, from its first to its last moment. */
export function timeFigures({ statistics: { timeline } }: Survey, budget: Budget): Html {
  const moments = timeline.moments();
  if (moments.length === 0) return html``;
  const { widthMs } = timeline;
  const stretches = stretchesOf(moments, widthMs);
  const seconds = widthMs / 1_000;
  const each = `Each column is ${widthMs < 1_000 ? `${widthMs} ms` : span(widthMs)}.`;
  const layers = outcomeTones.map(({ name, tone }, i) => ({
    name,
    tone,
    of: (counts: number[]) => (counts[i] ?? 0) / seconds,
  }));
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);
  const tell = ({ atMs, counts }: Extract<Stretch, { atMs: number }>) => {
    const parts = outcomeTones.map(({ name }, i) => [name, counts[i] ?? 0] as const).filter(([, n]) => n > 0);
    return `${clock(atMs)}: ${parts.map(([name, n]) => `${name} ${count(n)}`).join(', ') || 'nothing'}; ${bytes(counts[bytesAt] ?? 0)}`;
  };
  const shared = { stretches, tell };
  const rate = {
    ...shared,
    words: 'URLs settled per second over time, by outcome',
    layers,
    show: short,
  };
  const coarse = merged(moments, widthMs, 64);
  const isoRows = (of: (counts: number[]) => (number | string)[]) =>
    moments.map(({ atMs, counts }) => [new Date(atMs).toISOString(), ...of(counts)]);
  const sum = (counts: number[]) => outcomeTones.reduce((all, _, i) => all + (counts[i] ?? 0), 0);
  const trouble = layers.slice(1);
  return html`<div class="grid">${figure(
    {
      id: 'rate',
      title: 'URLs settled per second',
      lead: `By how they ended. ${each}`,
      picture: timeChart({ ...rate, width: whole, height: 230 }),
      narrow: timeChart({ ...rate, width: half, height: 230 }),
      legend: [...outcomeTones],
      data: {
        head: ['from', 'seconds', ...outcomeTones.map(({ name }) => name)],
        rows: isoRows((c) => [seconds, ...outcomeTones.map((_, i) => c[i] ?? 0)]),
      },
      wide: true,
    },
    budget,
  )}${figure(
    {
      id: 'bytes',
      title: 'Received per second',
      lead: 'Bodies as they came over the wire.',
      picture: timeChart({
        ...shared,
        words: 'Bytes received per second over time',
        layers: [{ name: 'bytes', tone: 'accent', of: (counts) => (counts[bytesAt] ?? 0) / seconds }],
        show: (value) => bytes(value),
        width: half,
        height: 210,
      }),
      data: { head: ['from', 'seconds', 'bytes'], rows: isoRows((c) => [seconds, c[bytesAt] ?? 0]) },
    },
    budget,
  )}${figure(
    {
      id: 'trouble',
      title: 'Answers other than 2xx',
      lead: 'As a share of all URLs settled at the time.',
      picture: timeChart({
        ...shared,
        stretches: stretchesOf(coarse.moments, coarse.widthMs),
        words: 'Share of answers other than 2xx over time',
        layers: trouble.map((layer, i) => ({
          ...layer,
          of: (counts) => (sum(counts) === 0 ? 0 : (100 * (counts[i + 1] ?? 0)) / sum(counts)),
        })),
        show: (value) => `${short(value)} %`,
        width: half,
        height: 210,
      }),
      legend: outcomeTones.slice(1),
      data: {
        head: ['from', 'urls', ...outcomeTones.slice(1).map(({ name }) => `${name} share`)],
        rows: isoRows((c) => [
          sum(c),
          ...outcomeTones
            .slice(1)
            .map((_, i) => (sum(c) === 0 ? 0 : Number(((c[i + 1] ?? 0) / sum(c)).toFixed(4)))),
        ]),
      },
    },
    budget,
  )}</div>
`;
}

/** The same in fewer stretches. */
function merged(moments: readonly Moments[], widthMs: number, max: number) {
  const first = moments[0]?.atMs ?? 0;
  const factor = Math.ceil(moments.length / max);
  const found = new Map<number, Moments>();
  for (const { atMs, counts } of moments) {
    const at = first + Math.floor((atMs - first) / (widthMs * factor)) * widthMs * factor;
    const held = found.get(at);
    if (held) held.counts = held.counts.map((n, i) => n + (counts[i] ?? 0));
    else found.set(at, { atMs: at, counts: [...counts] });
  }
  return { moments: [...found.values()], widthMs: widthMs * factor };
}
