import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const volunteer = 'packages/coordinator/src/network/volunteer-seat.ts';

/** What a worker does with pages, and what a coordinator believes of it. */
export const workerMutants: readonly Mutant[] = [
  {
    name: 'outcomes-before-bodies',
    why: 'A crash would leave outcomes that point at captures which are not on disk.',
    file: `${worker}/reporter.ts`,
    from: 'await Promise.all([...options.savers()].map((saver) => saver.sync()));',
    to: 'void options.savers;',
    killer: {
      test: `${worker}/reporter.test.ts`,
      case: 'reporter > puts bodies on disk before the outcomes that point at them',
    },
  },
  {
    name: 'archive-written-at-the-end',
    why: 'A kill would take hundreds of captures with it that the index still names.',
    file: `${worker}/save/segments.ts`,
    from: '    await current?.file.sync();\n',
    to: '    void current;\n',
    killer: { proof: 'kill', args: ['--quick', '--count', '2'], field: 'wrongIndexLines' },
  },
  {
    name: 'bodies-not-synced',
    why: 'Captures would be in the page cache only, and lost with the power.',
    file: `${worker}/save/append-file.ts`,
    from: '      await this.#handle.datasync();\n',
    to: '',
    killer: {
      test: `${worker}/save/append-file.test.ts`,
      case: 'append file > covers what was appended during a sync by the next one',
    },
  },
  {
    name: 'volunteer-unchecked',
    why: 'A volunteer could settle URLs it was never given and offer URLs outside the crawl.',
    file: volunteer,
    from: '(granted.has(report.id) ? checked(report) : undefined)',
    to: '(granted.has(report.id) ? report : undefined)',
    killer: {
      test: 'test/link/hostile.test.ts',
      case: 'a volunteer settles what it was given and offers what belongs to the crawl, nothing else',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'volunteer-on-any-lease',
    why: 'A volunteer could end the leases of other workers.',
    file: volunteer,
    from: '(granted.has(report.id) ? checked(report) : undefined)',
    to: 'checked(report)',
    more: [
      {
        file: volunteer,
        from: 'const entries = granted.get(report.id);',
        to: 'const entries = granted.get(report.id) ?? new Map<Url, Entry>();',
      },
    ],
    killer: {
      test: 'test/link/hostile.test.ts',
      case: 'a volunteer cannot touch what others hold',
    },
  },
];
