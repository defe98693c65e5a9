import { type Html, html } from '../markup/html.ts';
import { at, cut } from './scale.ts';

/** Two widths of pictures: half a page, and the whole. */
export const half = 520;
export const whole = 1080;

/** A picture; the words are for those who cannot see it. */
export function svg(width: number, height: number, words: string, inner: readonly Html[]): Html {
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}">${inner}</svg>`;
}

export function text(x: number, y: number, words: string, kind = ''): Html {
  return html`<text x="${at(x)}" y="${at(y)}"${kind ? html` class="${kind}"` : undefined}>${words}</text>`;
}

/** Names may be as long as a site likes. */
const maxTip = 140;

/** What a pointer is told; without script the browser shows it. */
export function tip(words: string): Html {
  return html`<title>${cut(words, maxTip)}</title>`;
}

/** Lines across the picture with their figures at the left. */
export function rules(
  values: readonly number[],
  place: (value: number) => number,
  box: { left: number; right: number },
  show: (value: number) => string,
): Html[] {
  return values.map((value) => {
    const y = at(place(value));
    return html`<path class="${value === 0 ? 'axis' : 'rule'}" d="M${box.left} ${y}H${box.right}"/>${text(
      box.left - 8,
      place(value) + 4,
      show(value),
      'end',
    )}`;
  });
}
