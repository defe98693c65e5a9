import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';

/** What a worker does with hosts, pages and captures. */
export const workerMutants: readonly Mutant[] = [
  {
    name: 'consent-to-wider-networks',
    why: 'A coordinator elsewhere could have a worker read networks that its owner never named.',
    file: 'packages/worker/src/egress/address.ts',
    from: 'return part.bits >= whole.bits &&',
    to: 'return part.bits !== -1 &&',
    killer: {
      test: 'packages/worker/src/crawls/consent.test.ts',
      case: 'a network that the owner allows covers none that is wider',
    },
  },
  {
    name: 'outcomes-before-bodies',
    why: 'A crash would leave outcomes that point at captures which are not on disk.',
    file: `${worker}/session/reporter.ts`,
    from: 'await secure(crawl, pointing);',
    to: 'void secure;',
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
  {
    name: 'resources-not-indexed',
    why: 'Replay of a page that a browser fetched would lack its images and scripts, though they are in the archive.',
    file: `${worker}/archive/index/cdxj.ts`,
    from: 'return record.resources === undefined ? own : [...own, ...record.resources.flatMap(captureLines)];',
    to: 'return own;',
    killer: {
      test: `${worker}/session/host-session.test.ts`,
      case: 'a page of several exchanges > has a line for each in the index, which leads to its capture',
    },
  },
  {
    name: 'session-left-open',
    why: 'A worker would keep connections to hosts that it has given back.',
    file: `${worker}/session/host-session.ts`,
    from: 'await tell(true).finally(() => session.close());',
    to: 'await tell(true);',
    killer: {
      test: `${worker}/session/host-session.test.ts`,
      case: 'a host session > opens its host once, closes it when all is reported, and releases every page',
    },
  },
  {
    name: 'open-file-not-found',
    why: 'What a running crawl has saved could not be shown until its file is complete.',
    file: `${worker}/archive/segment-files.ts`,
    from: 'for (const isOpen of [false, true]) {',
    to: 'for (const isOpen of [false]) {',
    killer: {
      test: `${worker}/archive/archive.test.ts`,
      case: 'what warc has saved > is read back by its place, while it is written and after',
    },
  },
  {
    name: 'crawls-of-a-name-share-a-folder',
    why: 'The late news that a crawl was deleted would erase the archives of the next one of its name.',
    file: 'packages/worker/src/crawls/crawl-folders.ts',
    from: 'const taken = (await markOf(usual)) !== undefined;',
    to: 'const taken = false;',
    killer: {
      test: 'packages/worker/src/crawls/crawl-folders.test.ts',
      case: 'keeps two crawls of one name apart, whichever is deleted first',
    },
  },
  {
    name: 'suspect-not-announced',
    why: 'A page that kills every worker that reads it would never be given up.',
    file: 'packages/worker/src/session/host-session.ts',
    from: 'if (isSuspect && !isBegun && !(await announce())) return false;',
    to: '',
    killer: {
      test: 'packages/worker/src/session/host-session.test.ts',
      case: 'a host session > reports before its first request that it begins with a URL that workers died with, and of no other',
    },
  },
  {
    name: 'worker-rests-by-a-race',
    why: 'A worker would keep two promises of each look that it ever took, two looks a second.',
    file: 'packages/worker/src/worker.ts',
    from: '  await clock.sleep(ms, event).catch(() => undefined);',
    to: "  const rung = new Promise((done) => event.addEventListener('abort', done));\n  await Promise.race([rung, clock.sleep(ms)]);",
    killer: {
      test: 'packages/worker/src/session/give-back.test.ts',
      case: 'keeps nothing of the looks of an idle worker',
    },
  },
  {
    name: 'erased-while-opened',
    why: 'A crawl that is deleted while a worker opens it would leave a folder there for ever.',
    file: 'packages/worker/src/crawls/worker-crawls.ts',
    from: '[...open.values(), ...adopting.values()]',
    to: '[...open.values()]',
    killer: {
      test: 'packages/worker/src/crawls/worker-crawls.test.ts',
      case: 'erases the folder of a deleted crawl after it was opened, where that is under way',
    },
  },
];
