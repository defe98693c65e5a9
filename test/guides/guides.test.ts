// watches: docs
import { expect, it } from 'vitest';
import { stale } from './not-run.ts';
import { commandsOf, pages, textOf } from './page-commands.ts';
import { uncovered } from './uncovered.ts';
import { mentions, unknownWords } from './unknown-words.ts';

const all = pages().flatMap((page) => commandsOf(page));

it('every command of the docs is run, or listed with the reason', () => {
  expect(all.length).toBeGreaterThan(100);
  expect(uncovered(all)).toEqual([]);
  expect(stale(all)).toEqual([]);
  expect(uncovered([{ page: 'docs/new', text: 'webfarer crawl example.org' }])).toHaveLength(1);
});

it('reads commands of several lines as one, and leaves comments out', () => {
  const page = "```sh\n# first\na \\\n  b   # it's\nc -d '{\n}'\n```\n```text\nd\n```\n";
  expect(commandsOf('x', page).map(({ text }) => text)).toEqual(["a \\\n  b   # it's", "c -d '{\n}'"]);
});

it('the docs name no command and no option that there is not', () => {
  const wrong = pages().flatMap((page) =>
    mentions(textOf(page)).flatMap((mention) => {
      const unknown = unknownWords(mention);
      return unknown.length > 0 ? [`${page}.md: ${unknown.join(' ')} in: ${mention}`] : [];
    }),
  );
  expect(wrong).toEqual([]);
  expect(unknownWords('webfarer crawl example.org --mirorr')).toEqual(['--mirorr']);
  expect(unknownWords('webfarer crwal example.org')).toEqual(['crwal']);
  expect(unknownWords('webfarer token new worker --note x')).toEqual([]);
});
