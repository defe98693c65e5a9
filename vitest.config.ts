import { defineConfig } from 'vitest/config';
import { testFiles as files } from './scripts/ci/test-files.ts';

/** Replace a module of Node's for everything that is loaded after them. */
const replacing = ['ipv6', 'peer', 'turns'].map((name) => `packages/worker/src/egress/${name}.test.ts`);

const shared = {
  setupFiles: ['test/own-state.ts', 'test/patience.ts'],
  // For a test that hangs: none is judged by how long it takes.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    // More than the two cores that CI has, because many tests wait for processes and servers.
    maxWorkers: 4,
    projects: [
      // Most of the time of a short test goes into loading the code, so the files of one process share it.
      { test: { ...shared, name: 'tests', include: files, exclude: replacing, isolate: false } },
      { test: { ...shared, name: 'replacing', include: replacing } },
    ],
  },
});
