/** Takes what it is given, and can make nothing of it durable. */
export const saver = {
  name: 'syncless',
  start: () => Promise.resolve(),
  save: () => Promise.resolve(undefined),
  sync: () => Promise.reject(new Error('this saver has nowhere to write to')),
  stop: () => Promise.resolve(),
  written: () => ({ files: 0, bytes: 0 }),
};
