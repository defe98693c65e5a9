import type { Mutant } from './mutant.ts';

const tar = 'packages/worker/src/save/tar';

/** Where bodies go beside WARC files, and what is handed on to others. */
export const saverMutants: readonly Mutant[] = [
  {
    name: 'tar-frame-not-ended',
    why: 'A capture that a record names could not be read once a crash tore the file behind it.',
    file: `${tar}/pack-entry.ts`,
    from: '[await zstd(whole, { params: zstdParams, pledgedSrcSize: whole.length })]',
    to: '[await zstd(whole, { params: zstdParams, finishFlush: constants.ZSTD_e_flush })]',
    killer: {
      test: `${tar}/tar-saver.test.ts`,
      case: 'tar saver, compress zst > goes on after a crash, whatever byte it was torn at',
    },
  },
  {
    name: 'bzip2-tail-not-unpacked',
    why: 'A crawl would continue behind a torn bzip2 stream, and no tool could read what follows.',
    file: 'packages/worker/src/archive/bytes/bzip2-stream.ts',
    from: 'if (error instanceof Bzip2Damage || at + length >= size) return undefined;',
    to: 'if (error instanceof Bzip2Damage || at + length >= size) return at < size ? size - at : undefined;',
    killer: {
      test: `${tar}/tar-saver.test.ts`,
      case: 'tar saver, compress bz2 > goes on after a crash, whatever byte it was torn at',
    },
  },
  {
    name: 'redis-saver-does-not-wait',
    why: 'Records would name bodies that a server without memory has refused.',
    file: 'packages/worker/src/save/redis/redis-saver.ts',
    from: '      await store.run(batch.flatMap(({ commands }) => commands));\n',
    to: '      store.run(batch.flatMap(({ commands }) => commands)).catch(() => undefined);\n',
    killer: {
      test: 'test/redis/redis-saver.test.ts',
      case: 'is durable only once the server has answered, and writes later what it refused',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'sink-position-before-acknowledgement',
    why: 'Results that were on their way when the sink or the broker died would never reach Kafka.',
    file: 'packages/cli/src/sink/feed-sink.ts',
    from: `    if (batch.length > 0) await retried(feed, async () => await feed.sink.send(batch));
    if (feed.signal.aborted) return;
    await log.acknowledge(token);
`,
    to: `    await log.acknowledge(token);
    if (batch.length > 0) await retried(feed, async () => await feed.sink.send(batch));
    if (feed.signal.aborted) return;
`,
    killer: {
      test: 'packages/cli/src/sink/feed-sink.test.ts',
      case: 'moves the position only behind what the sink has acknowledged',
    },
  },
  {
    name: 'sink-counts-items-over-answers',
    why: 'Items that are sent again would have other ids, and readers could not drop them.',
    file: 'packages/cli/src/sink/feed-sink.ts',
    from: '  const messageOf = feed.messageMaker();\n',
    to: '  const messageOf = (feed as { made?: ReturnType<Feed["messageMaker"]> }).made ??= feed.messageMaker();\n',
    killer: {
      test: 'packages/cli/src/sink/feed-sink.test.ts',
      case: 'sends again what was not acknowledged, with the same ids',
    },
  },
];
