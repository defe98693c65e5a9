import { vi } from 'vitest';

/**
 * How long a test waits for what must come. On an idle machine it comes at once, so a long wait costs nothing; on a
 * busy one a short wait would judge the machine.
 */
export const patienceMs = 30_000;

const waitFor = vi.waitFor.bind(vi);
vi.waitFor = (callback, options) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(callback, { ...given, timeout: Math.max(patienceMs, given?.timeout ?? 0) });
};
