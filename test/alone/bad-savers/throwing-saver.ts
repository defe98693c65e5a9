/** Can keep nothing. */
export const saver = {
  name: 'throwing',
  start: () => Promise.resolve(),
  save: () => Promise.reject(new Error('this saver has nowhere to write to')),
  sync: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  written: () => ({ files: 0, bytes: 0 }),
};
