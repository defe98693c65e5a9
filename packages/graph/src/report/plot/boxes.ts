import { count, took } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { at, cut, logScale, powers } from './scale.ts';
import { half, svg, text, tip } from './svg.ts';

export interface Spread {
  label: string;
  n: number;
  /** Quantiles 5, 25, 50, 75 and 95 %. */
  at: [number, number, number, number, number];
}

const row = 22;
const left = 178;

/** One lying box for each row: half of all values in the box, nine tenths between the whiskers; times on a log axis. */
export function boxPlot(words: string, spreads: readonly Spread[]): Html {
  const all = spreads.flatMap((spread) => spread.at).filter((value) => value > 0);
  const marks = powers(Math.max(1, Math.min(...all, 1e9)), Math.max(...all, 10));
  const width = half - left - 8;
  const x = logScale(marks[0] ?? 1, marks.at(-1) ?? 10, width);
  const height = spreads.length * row + 26;
  const grid = marks.map(
    (mark, i) =>
      html`<path class="rule" d="M${at(left + x(mark))} 0V${height - 22}"/>${text(left + x(mark), height - 6, took(mark), i === 0 ? '' : i === marks.length - 1 ? 'end' : 'mid')}`,
  );
  const boxes = spreads.map(({ label, n, at: [p5, p25, p50, p75, p95] }, i) => {
    const y = i * row + 4;
    const [a, b, c, d, e] = [p5, p25, p50, p75, p95].map((value) => left + x(value)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return html`<g>${tip(`${label}: half within ${took(p50)}, 95 % within ${took(p95)} (${count(n)} answers)`)}<rect class="hit" x="0" y="${y - 4}" width="${half}" height="${row}"/>${text(left - 10, y + 11, cut(label, 25), 'end ink')}<path class="whisker" d="M${at(a)} ${y + 7}H${at(e)}M${at(a)} ${y + 3}v8M${at(e)} ${y + 3}v8"/><rect class="box" x="${at(b)}" y="${y}" width="${at(Math.max(2, d - b))}" height="14" rx="2"/><path class="median" d="M${at(c)} ${y}v14"/></g>`;
  });
  return svg(half, height, words, [...grid, ...boxes]);
}
