import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    setupFiles: ['test/own-state.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
