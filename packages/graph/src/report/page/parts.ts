import type { Url } from '@webfarer/protocol';
import { hostOf, originOf, pathOf } from '@webfarer/protocol/url';
import { count, percent } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { at, cut } from '../plot/scale.ts';
import type { Tone } from '../survey/tones.ts';

/** A URL to click, its origin in a softer colour. Only http and https become links. */
export function link(url: string, text?: string): Html {
  if (!/^https?:\/\/[^/]+\//i.test(url)) return html`<bdi>${url}</bdi>`;
  const inner =
    text === undefined
      ? html`<span class="o">${originOf(url as Url)}</span>${pathOf(url as Url)}`
      : html`${text}`;
  return html`<a href="${url}" rel="noreferrer" target="_blank"><bdi>${inner}</bdi></a>`;
}

/** The same without its origin where that is the page's own host. */
export function shortLink(url: string, host: string): Html {
  const same = /^https?:\/\/[^/]+\//i.test(url) && hostOf(url as Url) === host;
  return same ? link(url, pathOf(url as Url)) : link(url);
}

export interface Slice {
  label: string;
  value: number;
  tone?: Tone;
}

/** Slices of a whole in one bar; told in words to those who cannot see it. */
export function stackedBar(slices: Slice[]): Html {
  const whole = slices.reduce((sum, slice) => sum + slice.value, 0);
  const words = slices.filter((s) => s.value > 0).map((s) => `${s.label} ${percent(s.value, whole)}`);
  let at = 0;
  const parts = slices.map((slice) => {
    const width = whole === 0 ? 0 : (1000 * slice.value) / whole;
    const part = html`<rect class="${slice.tone ?? 'accent'}" x="${at}" width="${width}" height="14"/>`;
    at += width;
    return part;
  });
  return html`<svg class="stack" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="${words.join(', ')}"><rect class="none" width="1000" height="14"/>${parts}</svg>`;
}

export interface BarOptions {
  /** What the bars beyond `max` are called together. */
  rest?: string;
  max?: number;
  show?: (value: number) => string;
  /** What a bar over the whole room stands for; absent: the largest value. */
  whole?: number;
}

/** The least of a bar that is seen, in hundredths of the room. */
const leastBar = 0.6;

/** One bar for each row, as long as its value says. What is beyond `max` rows is one bar. */
export function barList(
  slices: Slice[],
  { rest = 'other', max = 8, show = count, whole }: BarOptions = {},
): Html {
  const shown = slices.length > max ? slices.slice(0, max - 1) : slices;
  const more = slices.slice(shown.length).reduce((sum, slice) => sum + slice.value, 0);
  const rows: Slice[] = more > 0 ? [...shown, { label: rest, value: more, tone: 'queued' }] : shown;
  const most = whole ?? (Math.max(...rows.map((row) => row.value)) || 1);
  // The rest may be more than all others, which it should not make invisible.
  const width = (value: number) => (value > 0 ? Math.min(100, Math.max(leastBar, (100 * value) / most)) : 0);
  return html`<ul class="bars">${rows.map(
    (row) =>
      html`<li><span title="${cut(row.label, 200)}"><bdi>${cut(row.label, 80)}</bdi></span><svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true"><rect class="none" width="100" height="9"/><rect class="${row.tone ?? 'accent'}" width="${at(width(row.value))}" height="9"/></svg><b>${show(row.value)}</b></li>`,
  )}</ul>`;
}
