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

/**
 * Control characters are escaped by JSON itself, except DEL and C1, which a terminal may obey, and the two
 * line separators, which some readers take for line ends.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
