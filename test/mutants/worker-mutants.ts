import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';

/** What a worker does with hosts, pages and captures. */
export const workerMutants: readonly Mutant[] = [
  {
    name: 'outcomes-before-bodies',
    why: 'A crash would leave outcomes that point at captures which are not on disk.',
    file: `${worker}/session/reporter.ts`,
    from: 'await Promise.all([...options.savers()].map((saver) => saver.sync()));',
    to: 'void options.savers;',
    killer: {
      test: `${worker}/session/reporter.test.ts`,
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
    name: 'rejected-lease-kept',
    why: 'A worker whose lease is over would go on contacting its host.',
    file: `${worker}/session/host-session.ts`,
    from: 'if (!answer.ok) held.lose();',
    to: 'void answer;',
    killer: {
      test: `${worker}/session/give-back.test.ts`,
      case: 'makes no further request to a host once its report was rejected',
    },
  },
  {
    name: 'torn-record-kept',
    why: 'New captures would follow half a record, and no tool could read the file to its end.',
    file: `${worker}/save/segments.ts`,
    from: 'if (size > end) await truncate(path, end);',
    to: '',
    killer: {
      test: `${worker}/save/warc/warc-saver.test.ts`,
      case: 'warc saver > drops a tail of garbage, and a file without one whole record',
    },
  },
];
