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
  {
    name: 'console-texts-of-other-savers',
    why: 'Pages whose bytes alone were saved would be listed as texts that nobody can read.',
    file: `${data}/text-log.ts`,
    from: "saved?.find(({ saver }) => saver === 'markdown')",
    to: 'saved?.at(-1)',
    killer: {
      test: `${data}/text-log.test.ts`,
      case: 'lists the texts that were saved, and looks at no other pages',
    },
  },
  {
    name: 'console-text-command-leaves-its-quotes',
    why: 'The name of a crawl could run a command of its own in the terminal of whoever copies the line.',
    file: `${data}/text-log.ts`,
    from: `encodeURIComponent(crawl).replaceAll("'", '%27')`,
    to: 'encodeURIComponent(crawl)',
    killer: {
      test: `${data}/text-log.test.ts`,
      case: 'writes a command that no name of a crawl can leave',
    },
  },
  {
    name: 'console-download-of-a-text-is-cut',
    why: 'The end of a long text would be missing from its download without a word.',
    file: 'packages/console/browser/url/read-saved.ts',
    from: 'return (await readText(saved, place, Number.POSITIVE_INFINITY)).text;',
    to: "return (await readMarkdown(saved, place)).text ?? '';",
    killer: {
      test: 'packages/console/browser/url/read-saved.test.ts',
      case: 'cuts what is shown of a long text, not what is downloaded',
    },
  },
  {
    name: 'console-picture-hidden-by-its-page',
    why: 'Large pages, of which a picture is the only thing to see here, would show none.',
    file: 'packages/console/browser/url/read-saved.ts',
    from: 'hiddenWhy({ ...saved, length });',
    to: 'hiddenWhy(saved);',
    killer: {
      test: 'packages/console/browser/url/read-saved.test.ts',
      case: 'reads a picture from its own record, however large its page is',
    },
  },
  {
    name: 'console-capture-command-unquoted',
    why: 'The address of a page could run a command in the terminal of whoever copies the line.',
    file: 'packages/console/browser/url/capture-command.ts',
    from: '${quoted(url)}',
    to: '${url}',
    killer: {
      test: 'packages/console/browser/url/capture-command.test.ts',
      case: 'reads a capture or a picture of it, and lets no address end the command',
    },
  },
];
