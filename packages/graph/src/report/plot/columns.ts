import { count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { at, short, wholeTicks } from './scale.ts';
import { half, rules, svg, text, tip } from './svg.ts';
import type { Tone } from '../survey/tones.ts';

export interface Column {
  label: string;
  /** From the bottom up. */
  parts: { name: string; value: number; tone: Tone }[];
}

const size = { height: 230, left: 46, right: 4, top: 10, bottom: 26 };

/** Upright columns of stacked parts. Labels that would touch each other are left out. */
export function columnChart(words: string, columns: readonly Column[], width = half): Html {
  const sums = columns.map(({ parts }) => parts.reduce((sum, part) => sum + part.value, 0));
  const marks = wholeTicks(Math.max(...sums, 1));
  const top = marks.at(-1) ?? 1;
  const floor = size.height - size.bottom;
  const y = (value: number) => floor - ((floor - size.top) * value) / top;
  const step = (width - size.left - size.right) / Math.max(1, columns.length);
  const every = Math.max(1, Math.ceil((7 * Math.max(...columns.map((c) => c.label.length), 1) + 8) / step));
  const bars = columns.map(({ label, parts }, i) => {
    const x = size.left + i * step;
    let sum = 0;
    const pieces = parts.map(({ value, tone }) => {
      const from = y(sum);
      sum += value;
      // A trace of what is rare stays visible.
      const high = value > 0 ? Math.max(from - y(sum), 1) : 0;
      return value > 0
        ? html`<rect class="${tone}" x="${at(x + step * 0.1)}" y="${at(from - high)}" width="${at(step * 0.8)}" height="${at(high)}"/>`
        : html``;
    });
    const told = parts.filter((part) => part.value > 0).map((part) => `${part.name} ${count(part.value)}`);
    return html`<g>${tip(`${label}: ${told.join(', ') || '0'}`)}<rect class="hit" x="${at(x)}" y="${size.top}" width="${at(step)}" height="${floor - size.top}"/>${pieces}</g>${
      i % every === 0 ? text(x + step / 2, size.height - 8, label, 'mid') : undefined
    }`;
  });
  const lines = rules(marks, y, { left: size.left, right: width - size.right }, short);
  return svg(width, size.height, words, [...lines, ...bars]);
}
