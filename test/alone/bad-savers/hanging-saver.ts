/** Never says that it has kept anything. */
export const saver = {
  name: 'hanging',
  start: () => Promise.resolve(),
  save: () => new Promise<never>(() => undefined),
  sync: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  written: () => ({ files: 0, bytes: 0 }),
};
