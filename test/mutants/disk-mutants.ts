import type { Mutant } from './mutant.ts';

const segment = 'packages/coordinator/src/frontier/redis/draining/segment-file';
const small = 'packages/protocol/src/node/durable-file';

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
];
