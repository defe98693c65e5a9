import type { CrawlSnapshot } from '@webfarer/protocol';
import { type FrameSize, frame } from './frame.ts';
import type { Note } from './notes.ts';
import { type Terminal, usableColumns } from './terminal.ts';
import { displayWidth, painter, wrap } from './text.ts';
import type { View } from './view.ts';
import { stripVTControlCharacters } from 'node:util';

/** Terminals that know it show the whole update at once; the others ignore it. */
const beginUpdate = '\x1b[?2026h';
const endUpdate = '\x1b[?2026l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearBelow = '\x1b[J';

export interface LiveViewOptions {
  terminal: Terminal;
  pageLimit?: number;
  keys?: boolean;
}

/**
 * A few fixed lines at the bottom, redrawn in place at most four times a second. Notes and blocks scroll
 * away above them and stay in the terminal's history.
 */
export function createLiveView(options: LiveViewOptions): View {
  const { terminal } = options;
  const paint = painter(terminal.colour);
  let above: string[] = [];
  let sticky: string | undefined;
  let drawn: string[] = [];
  let last: CrawlSnapshot | undefined;
  let ended = false;

  const size = (): FrameSize => ({
    columns: usableColumns(terminal),
    colour: terminal.colour,
    keys: options.keys ?? false,
    ...(options.pageLimit === undefined ? {} : { pageLimit: options.pageLimit }),
  });

  const draw = (lines: string[]) => {
    const scrolled = above.map((line) => `${line}\n`).join('');
    above = [];
    terminal.out(
      beginUpdate +
        hideCursor +
        eraseDrawn(drawn, terminal.columns()) +
        scrolled +
        lines.map((l) => `${l}\n`).join('') +
        endUpdate,
    );
    drawn = lines;
  };

  const redraw = () => {
    if (last) draw(frame(last, sticky === undefined ? [] : [sticky], size()));
  };

  return {
    everyMs: 250,
    redraws: true,
    event: () => {},
    print(lines) {
      above.push(...lines);
      if (ended || !last) flushPlain();
      else redraw();
    },
    note(note: Note) {
      const columns = usableColumns(terminal);
      above.push(...wrap(note.text, columns - 2, '  ').map((line) => `  ${paint(note.style, line)}`));
      if (ended || !last) flushPlain();
    },
    sticky(text) {
      if (text === sticky) return;
      sticky = text;
      if (!ended) redraw();
    },
    show(snapshot) {
      if (ended) return;
      last = snapshot;
      redraw();
    },
    end() {
      if (ended) return;
      ended = true;
      draw([]);
      terminal.out(showCursor);
    },
  };

  function flushPlain() {
    terminal.out(above.map((line) => `${line}\n`).join(''));
    above = [];
  }
}

/** Moves to where the last frame began and clears it, counting lines that a narrower terminal has folded. */
export function eraseDrawn(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => {
    const width = displayWidth(stripVTControlCharacters(line));
    return sum + Math.max(1, Math.ceil(width / Math.max(1, columns)));
  }, 0);
  return rows === 0 ? '' : `\x1b[${rows}A\r${clearBelow}`;
}
