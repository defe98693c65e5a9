import type { Budget } from '../markup/budget.ts';
import { count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import type { Tone } from '../survey/tones.ts';

type Cell = string | number | undefined;

export interface FigureData {
  head: string[];
  rows: Cell[][];
}

export interface Figure {
  id: string;
  title: string;
  /** What is to be seen, in a sentence. */
  lead?: string;
  picture: Html;
  /** The same for a screen on which a picture as wide as the page could not be read. */
  narrow?: Html;
  legend?: { name: string; tone: Tone }[];
  data: FigureData;
  /** As wide as the page. */
  wide?: boolean;
  /** It has little to show: the card ends with it, however tall its neighbor is. */
  short?: boolean;
}

/** Of what is left for pages, what the data of one picture may take. */
const share = 0.02;
const maxRows = 500;

/** A picture with its title, its legend, and its data to look at and to copy. */
export function figure(
  { id, title, lead, picture, narrow, legend, data, wide, short = data.rows.length === 0 }: Figure,
  budget: Budget,
): Html {
  return html`<figure class="card${wide ? ' wide' : ''}${short ? ' short' : ''}" id="${id}" data-figure>
<figcaption><h3>${title}</h3><button type="button" class="csv" aria-label="Copy data: ${title}">Copy data</button>${
    lead === undefined ? undefined : html`<p>${lead}</p>`
  }</figcaption>
<div class="plot${narrow ? ' broad' : ''}">${picture}</div>${narrow ? html`<div class="plot narrow">${narrow}</div>` : undefined}${legend ? legendOf(legend) : undefined}
${dataOf(title, data, budget)}</figure>
`;
}

function legendOf(entries: NonNullable<Figure['legend']>): Html {
  return html`<ul class="legend">${entries.map(({ name, tone }) => html`<li><i class="${tone}"></i>${name}</li>`)}</ul>`;
}

function dataOf(title: string, { head, rows }: FigureData, budget: Budget): Html {
  const lines = rows
    .slice(0, maxRows)
    .map((row) => html`<tr>${row.map((cell) => html`<td>${shorten(cell)}</td>`)}</tr>\n`);
  const kept = budget.take(lines, share);
  const left = rows.length - kept.length;
  return html`<details><summary>Data<span class="n">${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}</span></summary>
<div class="scroll" role="region" aria-label="Data: ${title}" tabindex="0"><table><caption>${title}</caption><thead><tr>${head.map(
    (name) => html`<th scope="col">${name}</th>`,
  )}</tr></thead><tbody>
${kept}</tbody></table></div>${
    left > 0
      ? html`<p class="more">${count(left)} more rows are not in this page: <code>webfarer stats --csv</code></p>`
      : undefined
  }</details>`;
}

function shorten(cell: Cell): string | number | undefined {
  return typeof cell === 'string' && cell.length > 300 ? `${cell.slice(0, 299)}…` : cell;
}
