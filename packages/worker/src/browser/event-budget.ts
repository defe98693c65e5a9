/**
 * What pages tell of themselves (lines of the console, errors, requests, dialogs, frames, workers) reaches the worker through one
 * pipe that all pages of a browser share, and is read by the thread that serves all crawls. A page that tells more is ended.
 */
export const eventBudget = { events: 5_000, bytes: 4_194_304 } as const;

export interface EventBudget {
  /** Undefined while the page keeps to its budget, then what it had told. */
  exceeded(): string | undefined;
  add(what: string, bytes: number): void;
}

/** `over` is called once. */
export function createEventBudget(over: () => void): EventBudget {
  const counts = new Map<string, number>();
  let [events, bytes] = [0, 0];
  let told: string | undefined;
  return {
    exceeded: () => told,
    add(what, more) {
      if (told !== undefined) return;
      events += 1;
      bytes += more;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (events <= eventBudget.events && bytes <= eventBudget.bytes) return;
      const [most = ''] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
      told = `the page was ended: it told the browser more than allowed (${events} events with ${bytes} bytes, mostly ${most})`;
      over();
    },
  };
}

/**
 * Runs in every document before its own scripts: what is written to the console is cut where it is written, because what has
 * been written must be read. Workers of a page write past it, so the budget above counts all the same.
 */
export const quietConsole = `(() => {
  const most = { lines: 200, parts: 8, length: 500 };
  const text = String.prototype.slice;
  const short = (value) => {
    if (typeof value === 'string') return text.call(value, 0, most.length);
    if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'bigint') return value;
    try {
      return text.call(value instanceof Error ? value.message : Object.prototype.toString.call(value), 0, most.length);
    } catch {
      return 'something';
    }
  };
  let lines = 0;
  for (const name of Object.keys(console)) {
    const write = console[name];
    if (typeof write !== 'function') continue;
    console[name] = (...parts) => {
      lines += 1;
      if (lines <= most.lines) write.apply(console, parts.slice(0, most.parts).map(short));
    };
  }
})()`;
