import type { Mutant } from './mutant.ts';

/** What people install: how much it is, and what comes with it. */
export const releaseMutants: readonly Mutant[] = [
  {
    name: 'release-without-guides',
    why: 'webfarer docs would say that the guides are missing from the installation.',
    file: 'scripts/package/pack.ts',
    from: "if (home === 'cli') copyGuides(",
    to: "if (home === 'console') copyGuides(",
    killer: {
      test: 'test/install/installed-size.test.ts',
      case: 'the command comes with its guides, its license and the schema of job files',
    },
  },
  {
    name: 'release-with-a-package-too-many',
    why: 'An installation would bring the 22 packages of cheerio that nothing loads.',
    file: 'scripts/package/manifest.ts',
    from: 'filter(([each]) => !bundled.includes(each))',
    to: "filter(([each]) => each !== '')",
    killer: {
      test: 'scripts/package/manifest.test.ts',
      case: 'a bundled package is not asked for, and its license comes along',
    },
  },
  {
    name: 'release-follows-any-version',
    why: 'A new major version of a dependency would break installations of an old release.',
    file: 'scripts/package/manifest.ts',
    from: 'return `~${range}`;',
    to: 'return `>=${range}`;',
    killer: {
      test: 'scripts/package/manifest.test.ts',
      case: 'our packages are asked for in the version released with them, others in their newest patch',
    },
  },
  {
    name: 'thai-taken-for-western',
    why: 'A Thai page that names no encoding would be read as accented nonsense.',
    file: 'packages/worker/src/extract/charset.ts',
    from: "const found = hasLetters(text) ? detectCharset(text, domain) : 'windows-1252';",
    to: "const found = hasLetters(text) && domain !== '' ? detectCharset(text, domain) : 'windows-1252';",
    killer: {
      test: 'packages/worker/src/extract/charset.test.ts',
      case: 'the charset > of a Thai page is read with as little as a greeting to go by',
    },
  },
  {
    name: 'rename-on-windows-tried-once',
    why: 'A virus scanner that looks at a file would end a crawl on Windows.',
    file: 'packages/protocol/src/node/move-file.ts',
    from: "system.platform === 'win32' ? waitsMs : []",
    to: "system.platform === 'win32' ? [] : []",
    killer: {
      test: 'packages/protocol/src/node/move-file.test.ts',
      case: 'tries again on Windows while something has the file open',
      says: 'EPERM',
    },
  },
  {
    name: 'crawl-folder-named-like-a-device',
    why: 'A crawl that is called nul would be written to nowhere on Windows.',
    file: 'packages/protocol/src/crawl/safe-name.ts',
    from: 'return isDeviceName(safe) ? `_${safe}` : safe;',
    to: 'return safe;',
    killer: { test: 'packages/protocol/src/crawl/safe-name.test.ts', case: 'is never the name of a device' },
  },
];
