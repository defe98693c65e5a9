import type { Mutant } from './mutant.ts';

const mirror = 'packages/worker/src/mirror';
const written = (name: string) => ({ test: `${mirror}/write-mirror.test.ts`, case: `a mirror > ${name}` });
const recrawl = (name: string) => ({
  test: 'packages/cli/src/local/recrawl-copies.test.ts',
  case: `the mirror of a recrawl > ${name}`,
});

/** Mirrors that look whole until a person is offline. */
export const mirrorMutants: readonly Mutant[] = [
  {
    name: 'mirror-attribute-not-rewritten',
    why: 'Posters of videos would be asked for on the live site, offline in vain.',
    file: `${mirror}/rewrite-html.ts`,
    from: 'else if (meaning || moreAddresses.get(name)?.has(attribute.name)) kept = editAddress(attribute) || kept;',
    to: "else if (meaning && name !== 'video') kept = editAddress(attribute) || kept;",
    killer: {
      test: `${mirror}/rewrite-html.test.ts`,
      case: 'references of a page > <video poster="/p.png"></video>',
    },
  },
  {
    name: 'mirror-case-collision',
    why: 'Two pages would be one file on Windows and macOS.',
    file: 'packages/worker/src/save/names/name-registry.ts',
    from: "return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');",
    to: "return name.normalize('NFKC');",
    killer: written('gives the same names whatever was fetched first, none of which clash on any system'),
  },
  {
    name: 'mirror-redirect-not-resolved',
    why: 'A link to an old address would leave the folder although its page is in it.',
    file: `${mirror}/mirror-index.ts`,
    from: 'at = row.redirect;',
    to: 'return undefined;',
    killer: written('links what it has, also what was fetched later, and else the live site'),
  },
  {
    name: 'mirror-written-anew',
    why: 'A mirror that was killed would begin at its first file each time.',
    file: `${mirror}/copies.ts`,
    from: 'if (await isThere(path, source)) return;',
    to: "if (await isThere(path, '')) return;",
    killer: written('writes again only what has changed'),
  },
  {
    name: 'mirror-without-unchanged-pages',
    why: 'The mirror of a recrawl would lack every page that the server answered with 304.',
    file: `${mirror}/fill-index.ts`,
    from: "return reason === 'not-modified' || saved.some",
    to: 'return saved.some',
    killer: recrawl('has unchanged pages too, saved as files: it is that of a new crawl'),
  },
  {
    name: 'mirror-without-equal-pages',
    why: 'The mirror of a recrawl would lack every page that was sent again as it was.',
    file: `${mirror}/fill-index.ts`,
    from: "return reason === 'not-modified' || saved.some(({ revisit }) => revisit && !revisit.original);",
    to: "return reason === 'not-modified';",
    killer: recrawl('has unchanged pages too, saved as warc: it is that of a new crawl'),
  },
  {
    name: 'mirror-names-not-synced',
    why: 'Half of a mirror could be gone after a power cut, and the next run would not write it again.',
    file: `${mirror}/mirror-files.ts`,
    from: '        await syncFolder(folder);\n',
    to: '        void folder;\n',
    killer: written('has the names of its files on the disk when it is written'),
  },
];
