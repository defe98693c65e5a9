import { expect, test } from 'vitest';
import { figuresIn } from './figures.ts';
import { findings } from './made-up.fixture.ts';
import { namesInGuides } from './names.ts';
import { references } from './references.ts';
import { threats } from './threats.ts';

test('references: links, paths and rules of the frontier that do not exist', () => {
  const frontier = 'packages/coordinator/src/frontier';
  expect(
    findings(references, {
      'docs/frontier.md':
        '- **F1: groups.** See [the port](../packages/protocol/src/index.ts) and [more](more.md#top).',
      'README.md':
        'Run it:\n`node scripts/gone.ts`, see [docs](docs/frontier.md) and [the web](https://example.org/x).',
      [`${frontier}/a.ts`]: `/** Groups (F1), turns (F2). */\nexport const one = 'F3 in docs/gone.md';`,
      [`${frontier}/b.lua`]: 'return 1\n-- F4: as in docs/frontier.md',
      'test/prove/a.ts':
        "export const files = [\n'packages/cli/src/gone.ts', 'packages/protocol/src/index.ts'];",
    }),
  ).toEqual([
    'docs/frontier.md:1 links to docs/more.md, which does not exist',
    'README.md:2 names scripts/gone.ts, which does not exist',
    `${frontier}/a.ts:1 cites rule F2, which docs/frontier.md does not define`,
    `${frontier}/b.lua:2 cites rule F4, which docs/frontier.md does not define`,
    'test/prove/a.ts:2 names packages/cli/src/gone.ts, which does not exist',
  ]);
});

test('references: the README of a package names files and folders of it', () => {
  expect(
    findings(references, {
      'packages/worker/README.md':
        '`fetch/` `save/*.ts` `src/fetch/a.ts` `gone/` `gone*.ts` `b.lua` `fetch/b.ts`, `a` / `b`',
      'packages/worker/src/fetch/a.ts': '',
      'packages/worker/src/save/b.ts': '',
      'packages/worker/src/fetch': '',
    }).map((line) => line.split(' ')[2]),
  ).toEqual(['gone/,', 'gone*.ts,', 'b.lua,', 'fetch/b.ts,']);
});

test('references: pages about the code name sources by the end of their paths', () => {
  const text = 'See `fetch/a.ts`, `worker/src/fetch/a.ts` and `save/a.ts`.';
  const files = { 'packages/worker/src/fetch/a.ts': '' };
  expect(findings(references, { ...files, 'CONTRIBUTING.md': text })).toEqual([
    'CONTRIBUTING.md:1 names save/a.ts, which does not exist',
  ]);
  expect(findings(references, { ...files, 'docs/library.md': text })).toEqual([]);
});

test('names in guides: commands, their options and members of a page', () => {
  const found = (path: string, text: string): string[] =>
    findings(namesInGuides, {
      'docs/commands.md':
        '## Crawl\n\n### `webfarer crawl <url>`\n\n| `--limit <n>` | |\n\n### `webfarer graph deps [folder]`\n\n| `--deep` | |\n',
      'docs/reference.md':
        '### Page\n\n| `$(selector: string): X` | |\n| `url: Url` | |\n\n### Links\n\n| `items: 1` | |\n',
      'docs/job-file.md':
        '| `save` | list of: `{ warc }` | |\n\n## fetch\n\n| `timeout` | time | |\n| `retries.count` | number | |\n',
      [path]: text,
    }).map((line) => line.replace(/^\S+ /, ''));
  const right =
    '`webfarer crawl URL --limit 5`, `webfarer graph deps --deep`, `--deep`, `page.$()`, `page.url`\n```sh\nwebfarer crawl x --limit 1 | jq --raw\nother --odd\n```';
  expect(found('docs/a.md', right)).toEqual([]);
  expect(found('docs/a.md', '`webfarer crwal`')).toEqual(['webfarer crwal: there is no such command']);
  expect(found('docs/a.md', '`webfarer crawl --deep`')).toEqual(['webfarer crawl has no option --deep']);
  expect(found('docs/recipes/a.md', '```sh\nwebfarer crawl x --odd\n```')).toHaveLength(1);
  expect(found('packages/cli/README.md', '`--odd`')).toEqual(['--odd: no command has this option']);
  expect(found('README.md', '`page.items`')).toEqual(['page.items: a page has no such member']);
  const fields =
    '`fetch.timeout: 30s`, `fetch.retries`, `fetch.retries.count`, `save.warc.at`, `fetch.ts`, `other.name`';
  expect(found('docs/a.md', fields)).toEqual([]);
  expect(found('docs/a.md', '`fetch.timeOut`')).toEqual(['fetch.timeOut: a job has no such field']);
  expect(found('README.md', '`save.wrc.at`')).toEqual(['save.wrc.at: a job has no such field']);
  // What was, and what another tool calls it.
  expect(found('docs/decisions/0001-a.md', '`webfarer crwal`')).toEqual([]);
  expect(found('docs/from-wget.md', '`--odd`')).toEqual([]);
});

test('figures: a sentence of a guide says what the code says', () => {
  const file = 'packages/coordinator/src/limits.ts';
  const rule = figuresIn([
    { page: 'docs/a.md', says: 'at most {} rows', figures: [{ file, name: 'rows' }] },
    { page: 'docs/a.md', says: 'in {} s', figures: [{ file, name: 'waitMs', per: 1_000 }] },
  ]);
  const page = '# A\n\nIt lists at most\n2,000 rows, in 15 s.';
  const found = (text: string): string[] => findings(rule, { 'docs/a.md': page, [file]: text });
  expect(found('export const a: A = { rows: 2_000, waitMs: 15 * 1_000 };')).toEqual([]);
  expect(found('const rows = 2_000;\nconst waitMs = 15_000;')).toEqual([]);
  expect(found('const rows = 3_000;\nconst waitMs = 10_000;')).toEqual([
    'docs/a.md:1 must say: at most 3,000 rows',
    'docs/a.md:4 must say: in 10 s',
  ]);
  expect(found('const rows = most();\nconst waitMs = 15_000;')).toEqual([
    expect.stringContaining('repeats rows of'),
  ]);
});

test('references: proofs and benches that a page names', () => {
  const text =
    'Run `npm run prove -- exact --quick`, `prove gone`, `npm run bench -- cost` or `bench lost`; `npm run prove -- NAME` and prove it.';
  const files = { 'test/prove/exact.ts': '', 'bench/cost.ts': '', 'SECURITY.md': text };
  expect(findings(references, files)).toEqual([
    'SECURITY.md:1 names test/prove/gone.ts, which does not exist',
    'SECURITY.md:1 names bench/lost.ts, which does not exist',
  ]);
});

test('threats: each has a defence and a test, or says why not', () => {
  const row = (number: number, more = '| a way in | a wall | `prove exact` | |') => `| ${number} ${more}`;
  const rows = (changed: Record<number, string | undefined>) =>
    Array.from({ length: 58 }, (_, n) => (n + 1 in changed ? changed[n + 1] : row(n + 1))).flatMap(
      (line) => line ?? [],
    );
  const found = (changed: Record<number, string | undefined>) =>
    findings(threats, { 'SECURITY.md': rows(changed).join('\n') });
  expect(found({})).toEqual([]);
  expect(
    found({
      7: row(7, '| a | b | `packages/a.test.ts` | partly: tried on one system |'),
      8: row(8, '| a | — | — | open: nobody has built it |'),
    }),
  ).toEqual([]);
  expect(found({ 2: undefined })).toEqual(['SECURITY.md:1 has no row of threat 2']);
  expect(found({ 3: `${row(3)}\n${row(3)}` })).toEqual(['SECURITY.md:4 threat 3 has two rows']);
  expect(found({ 4: row(4, '| a | b | someone looked | |') })).toEqual([
    'SECURITY.md:4 threat 4 names no test',
  ]);
  expect(found({ 5: row(5, '| a | — | `prove exact` | |') })).toHaveLength(1);
  for (const gap of ['partly', 'partly: ', 'somewhat: so'])
    expect(found({ 6: row(6, `| a | b | \`prove exact\` | ${gap} |`) })).toHaveLength(1);
});
