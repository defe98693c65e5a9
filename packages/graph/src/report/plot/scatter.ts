import { type Html, html } from '../markup/html.ts';
import { at, logScale, powers, short } from './scale.ts';
import { half, svg, text, tip } from './svg.ts';

export interface Point {
  x: number;
  y: number;
  words: string;
}

const size = { height: 300, left: 50, right: 12, top: 10, bottom: 40 };

/** Points on two logarithmic axes. */
export function logScatter(words: string, names: { x: string; y: string }, points: readonly Point[]): Html {
  const xs = powers(1, Math.max(10, ...points.map((point) => point.x)));
  const ys = powers(1, Math.max(10, ...points.map((point) => point.y)));
  const floor = size.height - size.bottom;
  const x = logScale(1, xs.at(-1) ?? 10, half - size.left - size.right);
  const y = logScale(1, ys.at(-1) ?? 10, floor - size.top);
  const across = ys.map(
    (mark) =>
      html`<path class="${mark === 1 ? 'axis' : 'rule'}" d="M${size.left} ${at(floor - y(mark))}H${half - size.right}"/>${text(size.left - 8, floor - y(mark) + 4, short(mark), 'end')}`,
  );
  const down = xs.map(
    (mark) =>
      html`<path class="${mark === 1 ? 'axis' : 'rule'}" d="M${at(size.left + x(mark))} ${size.top}V${floor}"/>${text(size.left + x(mark), floor + 17, short(mark), 'mid')}`,
  );
  const dots = points.map(
    (point) =>
      html`<circle class="dot" cx="${at(size.left + x(point.x))}" cy="${at(floor - y(point.y))}" r="3.4">${tip(point.words)}</circle>`,
  );
  const labels = [
    text(half - size.right, size.height - 6, names.x, 'end'),
    text(size.left + 8, size.top + 12, names.y),
  ];
  return svg(half, size.height, words, [...across, ...down, ...labels, ...dots]);
}
