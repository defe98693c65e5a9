import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';
import { displayWidth } from './text.ts';

/** Terminals that know it show the whole update at once; the others ignore it. */
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearBelow = '\x1b[J';

/** A few lines at the bottom of a terminal that are redrawn in place. */
export interface Canvas {
  /** Replaces what was drawn; lines `above` scroll away and stay in the terminal's history. */
  draw(lines: readonly string[], above?: readonly string[]): void;
  end(above?: readonly string[]): void;
}

export function createCanvas(terminal: Terminal): Canvas {
  let drawn: readonly string[] = [];
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

  function draw(lines: readonly string[], above: readonly string[] = []): void {
    const erased = eraseDrawn(drawn, terminal.columns());
    terminal.out(beginUpdate + hideCursor + erased + text(above) + text(lines) + endUpdate);
    drawn = lines;
  }

  return {
    draw,
    end(above) {
      draw([], above);
      terminal.out(showCursor);
    },
  };
}

/** Moves to where the last frame began and clears it, counting lines that a narrower terminal has folded. */
export function eraseDrawn(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => {
    const width = displayWidth(stripVTControlCharacters(line));
    return sum + Math.max(1, Math.ceil(width / Math.max(1, columns)));
  }, 0);
  return rows === 0 ? '' : `\x1b[${rows}A\r${clearBelow}`;
}
