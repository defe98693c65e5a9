import type { Mutant } from './mutant.ts';

const cli = 'packages/cli/src';
const shell = (name: string) => ({ test: `${cli}/shell/shell.test.ts`, case: name });
const search = (name: string) => ({ test: `${cli}/search/search.test.ts`, case: name });

/** A shell on a page, and searches in what was crawled. */
export const shellMutants: readonly Mutant[] = [
  {
    name: 'shell-cuts-long-lists',
    why: 'A program that reads the output would miss all but the first hundred links.',
    file: `${cli}/shell/run-shell.ts`,
    from: '  maxArrayLength: null,\n',
    to: '',
    killer: shell('a long list is printed to its end'),
  },
  {
    name: 'shell-forgets-the-pause',
    why: 'A loop over links in a shell would ask a site as fast as it can.',
    file: `${cli}/crawling/page-probe.ts`,
    from: 'asked: (host) => void endedAtMs.set(host, clock.now()),',
    to: 'asked: (host) => void endedAtMs.set(host, clock.now() - 3_600_000),',
    killer: shell('robots.txt and the pause hold for every page that is fetched'),
  },
  {
    name: 'search-reads-japanese-as-one-word',
    why: 'Words in Chinese and Japanese text would never be found.',
    file: `${cli}/search/words.ts`,
    from: "return text.replace(spaceless, ' $& ');",
    to: 'return text;',
    killer: search('languages, phrases, ranks and snippets'),
  },
];
