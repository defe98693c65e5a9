import type { CrawlSnapshot } from '@webfarer/protocol';
import { createCanvas } from '../terminal/canvas.ts';
import { type FrameSize, frame } from './frame.ts';
import type { Note } from './notes.ts';
import { type Terminal, usableColumns } from '../terminal/terminal.ts';
import { painter, wrap } from '../terminal/text.ts';
import type { View } from './view.ts';

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
  const canvas = createCanvas(terminal);
  let above: string[] = [];
  let sticky: string | undefined;
  let last: CrawlSnapshot | undefined;
  let ended = false;

  const size = (): FrameSize => ({
    columns: usableColumns(terminal),
    colour: terminal.colour,
    keys: options.keys ?? false,
    ...(options.pageLimit === undefined ? {} : { pageLimit: options.pageLimit }),
  });

  const draw = (lines: string[]) => {
    canvas.draw(lines, above);
    above = [];
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
      canvas.end(above);
      above = [];
    },
  };

  function flushPlain() {
    terminal.out(above.map((line) => `${line}\n`).join(''));
    above = [];
  }
}
