/** Where tests are, for vitest and for CI. */
export const testFiles = ['packages/*/{src,browser}/**/*.test.ts', '{bench,scripts,test}/**/*.test.ts'];
