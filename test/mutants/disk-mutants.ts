import type { Mutant } from './mutant.ts';

const segment = 'packages/coordinator/src/frontier/redis/draining/segment-file';
const small = 'packages/protocol/src/node/durable-file';
const named = 'has the name of what it renames, and of a folder that it makes, on the disk when it resolves';
const warc = 'packages/worker/src/save/warc/warc-saver.test.ts';

/** What a power cut would take, beside the archive and the database of a crawl. */
export const diskMutants: readonly Mutant[] = [
  {
    name: 'segment-not-synced',
    why: 'Results would leave the store before their file is on the disk.',
    file: `${segment}.ts`,
    from: '    await handle.sync();\n',
    to: '',
    killer: {
      test: `${segment}.test.ts`,
      case: 'is on the disk, content and name, when it counts as written',
    },
  },
  {
    name: 'segment-name-not-synced',
    why: 'Results would leave the store before the name of their file is on the disk.',
    file: `${segment}.ts`,
    from: '  await syncFolder(dirname(file));\n',
    to: '',
    killer: {
      test: `${segment}.test.ts`,
      case: 'is on the disk, content and name, when it counts as written',
    },
  },
  {
    name: 'small-files-not-synced',
    why: 'A power cut would leave crawl.json or a token with 0 bytes.',
    file: `${small}.ts`,
    from: '      for (const piece of piecesOf(content)) await handle.writeFile(piece);\n      await handle.sync();\n',
    to: '      for (const piece of piecesOf(content)) await handle.writeFile(piece);\n',
    killer: {
      test: `${small}.test.ts`,
      case: 'durable files > has content and name on the disk when it resolves',
    },
  },
  {
    name: 'folder-never-synced',
    why: 'After a power cut a token or crawl.json could be the old one, or gone, although its change was answered.',
    file: `${small}.ts`,
    from: '    await handle.sync();\n  } catch (error) {',
    to: '  } catch (error) {',
    killer: {
      test: `${small}.test.ts`,
      case: 'durable files > has content and name on the disk when it resolves',
    },
  },
  {
    name: 'small-file-name-not-synced',
    why: 'The same, in the one place that writes all small files.',
    file: `${small}.ts`,
    from: '    await rm(fresh, { force: true });\n  }\n  await syncFolder(dirname(file));\n',
    to: '    await rm(fresh, { force: true });\n  }\n',
    killer: {
      test: `${small}.test.ts`,
      case: 'durable files > has content and name on the disk when it resolves',
    },
  },
  {
    name: 'renamed-file-not-synced',
    why: 'An index or a list that was written elsewhere could be gone after a power cut.',
    file: `${small}.ts`,
    from: '  await moveFile(fresh, file);\n  await syncFolder(dirname(file));\n',
    to: '  await moveFile(fresh, file);\n',
    killer: { test: `${small}.test.ts`, case: named },
  },
  {
    name: 'made-folder-not-synced',
    why: 'Files would be on the disk in a folder that is not.',
    file: `${small}.ts`,
    from: '  await syncFolder(dirname(path));\n',
    to: '',
    killer: { test: `${small}.test.ts`, case: named },
  },
  {
    name: 'archive-name-not-synced-at-its-end',
    why: 'A complete archive could be found under the name of an open one, or not at all.',
    file: 'packages/worker/src/save/segments.ts',
    from: "    current.stage = 'renamed';\n    await syncFolder(this.#dir);\n",
    to: "    current.stage = 'renamed';\n",
    killer: { test: warc, case: 'has the name of a file on the disk when it begins and when it is complete' },
  },
  {
    name: 'archive-name-not-synced-at-its-begin',
    why: 'Pages would be reported as saved in a file that is gone after a power cut.',
    file: 'packages/worker/src/save/segments.ts',
    from: '      if (!handle) continue;\n      await syncFolder(this.#dir);\n',
    to: '      if (!handle) continue;\n',
    killer: { test: warc, case: 'has the name of a file on the disk when it begins and when it is complete' },
  },
  {
    name: 'saved-file-name-not-synced',
    why: 'Pages would be reported as saved whose files are gone after a power cut.',
    file: 'packages/worker/src/save/savers/files-saver.ts',
    from: '      await syncFolder(folder);\n',
    to: '',
    killer: {
      test: 'packages/worker/src/save/savers/files-saver.test.ts',
      case: 'has files and their names on the disk when it has synced',
    },
  },
  {
    name: 'disk-full-is-a-bug',
    why: 'A stop at a full disk would be reported as a fault of the program for each crawl, with paths.',
    file: 'packages/coordinator/src/own-crawls/crawl-failures.ts',
    from: 'const error = asDiskTrouble(thrown);',
    to: 'const error = thrown;',
    killer: {
      test: 'packages/coordinator/src/own-crawls/crawl-failures.test.ts',
      case: 'reports a full disk as such, with what to do, and no path',
    },
  },
];
