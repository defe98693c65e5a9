import { defineConfig } from 'vitest/config';
import { testFiles as files } from './scripts/ci/test-files.ts';

/** Need a process of their own: they replace a module of Node's, or begin before a flag of V8 is set for good. */
const alone = [
  ...['ipv6', 'peer', 'turns'].map((name) => `packages/worker/src/egress/${name}.test.ts`),
  'packages/protocol/src/expression/expression.test.ts',
];

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
      { test: { ...shared, name: 'tests', include: files, exclude: alone, isolate: false } },
      { test: { ...shared, name: 'alone', include: alone } },
    ],
  },
});
