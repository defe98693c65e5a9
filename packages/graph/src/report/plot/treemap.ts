import { type Html, html } from '../markup/html.ts';
import { at, cut } from './scale.ts';
import { half, svg, tip } from './svg.ts';
import type { Tone } from '../survey/tones.ts';

export interface Tile {
  label: string;
  figure: string;
  words: string;
  value: number;
  tone: Tone;
  /** Share of it, from 0 to 1, that is hatched at its foot. */
  hatched?: number;
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Rectangles as large as their values and as square as they can be. */
export function treemap(words: string, tiles: readonly Tile[], height = 210): Html {
  const shown = tiles.filter((tile) => tile.value > 0).sort((a, b) => b.value - a.value);
  // One tile says all in a strip: nothing is compared.
  const high = shown.length === 1 ? Math.min(height, 48) : height;
  const boxes = squarify(
    shown.map((tile) => tile.value),
    { x: 0, y: 0, w: half, h: high },
  );
  const cells = shown.map((tile, i) => cell(tile, boxes[i] ?? { x: 0, y: 0, w: 0, h: 0 }));
  return svg(half, high, words, cells);
}

function cell({ label, figure, words, tone, hatched = 0 }: Tile, { x, y, w, h }: Box): Html {
  const [width, high] = [Math.max(0.5, w - 2), Math.max(0.5, h - 2)];
  const foot = high * hatched;
  const roomy = h > 22 && w > 44;
  return html`<g>${tip(words)}<rect class="${tone}" x="${at(x + 1)}" y="${at(y + 1)}" width="${at(width)}" height="${at(high)}" rx="3"/>${
    hatched > 0
      ? html`<rect class="shade" x="${at(x + 1)}" y="${at(y + 1 + high - foot)}" width="${at(width)}" height="${at(foot)}"/>`
      : undefined
  }${
    roomy
      ? html`<text class="on" x="${at(x + 9)}" y="${at(y + 19)}">${cut(label, Math.floor((w - 14) / 7))}</text>`
      : undefined
  }${roomy && h > 40 ? html`<text class="on thin" x="${at(x + 9)}" y="${at(y + 35)}">${cut(figure, Math.floor((w - 14) / 7))}</text>` : undefined}</g>`;
}

/** Bruls, Huizing and van Wijk: rows along the shorter side, as long as that makes the worst shape better. */
export function squarify(values: readonly number[], room: Box): Box[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  const areas = values.map((value) => (value * room.w * room.h) / (total || 1));
  const boxes: Box[] = [];
  let left = { ...room };
  for (let from = 0; from < areas.length; ) {
    const side = Math.min(left.w, left.h);
    let to = from + 1;
    while (to < areas.length && worst(areas.slice(from, to + 1), side) <= worst(areas.slice(from, to), side))
      to += 1;
    const row = areas.slice(from, to);
    left = layRow(row, left, boxes);
    from = to;
  }
  return boxes;
}

function worst(row: readonly number[], side: number): number {
  const sum = row.reduce((a, b) => a + b, 0);
  const square = (side * side) / (sum * sum);
  return Math.max(...row.map((area) => Math.max(area * square, 1 / (area * square))));
}

/** Puts a row along the shorter side and answers the room that is left. */
function layRow(row: readonly number[], room: Box, boxes: Box[]): Box {
  const sum = row.reduce((a, b) => a + b, 0);
  const upright = room.w >= room.h;
  const depth = sum / (upright ? room.h : room.w) || 0;
  let along = 0;
  for (const area of row) {
    const length = area / depth || 0;
    boxes.push(
      upright
        ? { x: room.x, y: room.y + along, w: depth, h: length }
        : { x: room.x + along, y: room.y, w: length, h: depth },
    );
    along += length;
  }
  return upright
    ? { x: room.x + depth, y: room.y, w: room.w - depth, h: room.h }
    : { x: room.x, y: room.y + depth, w: room.w, h: room.h - depth };
}
