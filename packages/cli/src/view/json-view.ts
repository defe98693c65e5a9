import { redact } from '@webfarer/protocol/url';
import { escaped } from './printable.ts';
import type { Terminal } from './terminal.ts';
import type { View } from './view.ts';

/** One JSON object per line: every event as it happens, and a snapshot now and then. Nothing else on stdout. */
export function createJsonView(terminal: Terminal, everyMs = 5000): View {
  return {
    everyMs,
    redraws: false,
    print: () => {},
    note: () => {},
    sticky: () => {},
    event: (event) => terminal.out(jsonLine(event)),
    show: (snapshot) => terminal.out(jsonLine({ type: 'snapshot', snapshot })),
    end: () => {},
  };
}

/** C0 controls are escaped by JSON itself, all others that a terminal or reader may obey by us. */
export function jsonLine(value: unknown): string {
  return `${redact(escaped(JSON.stringify(value)))}\n`;
}
