import type { Mutant } from './mutant.ts';

const data = 'packages/console/browser/data';

/** What a crawl stored, as the console shows it. */
export const storedContentMutants: readonly Mutant[] = [
  {
    name: 'console-outcome-of-a-grown-file-is-kept',
    why: 'A file that grew while it was checked would be called intact up to an end that was never read.',
    file: `${data}/file-check.ts`,
    from: "'bytes' in verdict && verdict.bytes === bytes ? verdict",
    to: "'bytes' in verdict ? verdict",
    killer: {
      test: `${data}/file-check.test.ts`,
      case: 'keeps an outcome for as long as the file is unchanged, and none of a check that did not end',
    },
  },
  {
    name: 'console-outcome-outlives-a-change',
    why: 'A file that was overwritten with one of the same size would still be called intact.',
    file: `${data}/file-check.ts`,
    from: 'path, bytes, changedAtMs] as const',
    to: 'path, bytes] as const',
    killer: {
      test: `${data}/file-check.test.ts`,
      case: 'keeps an outcome for as long as the file is unchanged, and none of a check that did not end',
    },
  },
];
