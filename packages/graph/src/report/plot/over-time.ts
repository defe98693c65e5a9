import type { Moments } from '../../stats/timeline.ts';
import { span } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { at, ticks } from './scale.ts';
import { rules, svg, text, tip } from './svg.ts';
import type { Tone } from '../survey/tones.ts';

/** A stretch of time in the picture, or a pause that is shown as a gap. */
export type Stretch = { atMs: number; counts: number[] } | { pauseMs: number };

export interface TimePicture {
  words: string;
  stretches: readonly Stretch[];
  layers: { name: string; tone: Tone; of: (counts: number[]) => number }[];
  show: (value: number) => string;
  tell: (stretch: { atMs: number; counts: number[] }) => string;
  width: number;
  height: number;
}

/** Longer silences, in stretches, are drawn as a gap of fixed width. */
const longestSilence = 12;

/** All stretches in a row, short silences filled with nothing, long ones as pauses. */
export function stretchesOf(moments: readonly Moments[], widthMs: number): Stretch[] {
  const found: Stretch[] = [];
  let next = moments[0]?.atMs ?? 0;
  for (const { atMs, counts } of moments) {
    const missing = Math.round((atMs - next) / widthMs);
    if (missing > longestSilence) found.push({ pauseMs: atMs - next });
    else
      for (let i = 0; i < missing; i++) found.push({ atMs: next + i * widthMs, counts: counts.map(() => 0) });
    found.push({ atMs, counts });
    next = atMs + widthMs;
  }
  return found;
}

const margin = { left: 58, right: 4, top: 10, bottom: 24 };
/** As wide as this many stretches. */
const pauseWidth = 4;

/** Layers over time, one on the other. */
export function timeChart(picture: TimePicture): Html {
  const { stretches, layers, width, height } = picture;
  const sums = stretches.map((s) => ('counts' in s ? layers.reduce((sum, l) => sum + l.of(s.counts), 0) : 0));
  const marks = ticks(Math.max(...sums, 1e-9), 3);
  const floor = height - margin.bottom;
  const y = (value: number) => floor - ((floor - margin.top) * value) / (marks.at(-1) ?? 1);
  const units = stretches.reduce((sum, s) => sum + ('counts' in s ? 1 : pauseWidth), 0);
  const step = (width - margin.left - margin.right) / Math.max(1, units);
  let unit = 0;
  const placed = stretches.map((stretch) => {
    const x = margin.left + unit * step;
    unit += 'counts' in stretch ? 1 : pauseWidth;
    return { stretch, x };
  });
  const bases = stretches.map(() => 0);
  const paths = layers.map((layer) => {
    const steps = placed.map(({ stretch, x }, i) => {
      const wide = 'counts' in stretch ? step : step * pauseWidth;
      const base = bases[i] ?? 0;
      const top = base + ('counts' in stretch ? layer.of(stretch.counts) : 0);
      bases[i] = top;
      return { x, end: x + wide, base: y(base), top: y(top) };
    });
    return html`<path class="${layer.tone}" d="${outline(steps)}"/>`;
  });
  const hits = placed.map(({ stretch, x }) =>
    'counts' in stretch
      ? html`<rect class="hit" x="${at(x)}" y="${margin.top}" width="${at(step)}" height="${floor - margin.top}">${tip(picture.tell(stretch))}</rect>`
      : html`<rect class="pause" x="${at(x)}" y="${margin.top}" width="${at(step * pauseWidth)}" height="${floor - margin.top}">${tip(`nothing for ${span(stretch.pauseMs)}`)}</rect>`,
  );
  const lines = rules(marks, y, { left: margin.left, right: width - margin.right }, picture.show);
  return svg(width, height, picture.words, [
    ...lines,
    ...paths,
    ...clockLabels(placed, width, height),
    ...hits,
  ]);
}

/** One line around a layer, so that no seams are seen between its steps. */
function outline(steps: readonly { x: number; end: number; base: number; top: number }[]): string {
  const [first] = steps;
  if (!first || steps.every(({ base, top }) => base === top)) return '';
  const there = steps.map(({ top, end }) => `V${at(top)}H${at(end)}`);
  const back = steps.toReversed().map(({ base, x }) => `V${at(base)}H${at(x)}`);
  return `M${at(first.x)} ${at(first.base)}${there.join('')}${back.join('')}z`;
}

type Placed = { stretch: Stretch; x: number };

/** Time of day below, where there is room for it; the day too when it is another one. */
function clockLabels(placed: readonly Placed[], width: number, height: number): Html[] {
  const found: Html[] = [];
  let free = margin.left;
  let day = '';
  let last = '';
  for (const { stretch, x } of placed) {
    if (!('counts' in stretch) || x < free || x > width - 70) continue;
    const moment = new Date(stretch.atMs).toISOString();
    const date = moment.slice(5, 10);
    const time = moment.slice(11, 19);
    // Columns may be shorter than a second.
    if (time === last && date === day) continue;
    last = time;
    const words = date === day ? time : `${date} ${time}`;
    found.push(text(x, height - 6, words));
    free = x + (date === day ? 110 : 160);
    day = date;
  }
  return found;
}
