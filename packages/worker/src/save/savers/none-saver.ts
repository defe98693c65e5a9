import type { Saver } from '../saver.ts';

/** Keeps no bodies: only records, links and items. */
export function noneSaver(): Saver {
  return {
    name: 'none',
    start: async () => {},
    save: async () => undefined,
    sync: async () => {},
    stop: async () => {},
    written: () => ({ files: 0, bytes: 0 }),
  };
}
