import { jsonLine } from '@webfarer/protocol/crawl';
import type { Terminal } from '../terminal/terminal.ts';
import type { View } from './view.ts';

/** One JSON object per line: every event as it happens, and a snapshot now and then. Nothing else on stdout. */
export function createJsonView(terminal: Terminal, everyMs = 5000): View {
  return {
    everyMs,
    redraws: false,
    print: () => {},
    note: () => {},
    sticky: () => {},
    event: ({ line }) => terminal.out(line),
    show: (snapshot) => terminal.out(jsonLine({ type: 'snapshot', snapshot })),
    end: () => {},
  };
}
