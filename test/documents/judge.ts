import { readFileSync } from 'node:fs';
import { type JudgedPage, judgedFolders, lineOf, pageOf } from './judged-pages.ts';
import { hashOf, pageBlocks } from './page-blocks.ts';

/**
 * For the person who judges. `node test/documents/judge.ts show FOLDER/FILE` numbers the lines that a page shows; `hash` reads lines
 * such as `FOLDER/FILE KIND c:3,5-19 e:4 x:7` from standard input and writes them as `judged-pages.txt` has them: c is content, e is
 * taken either way, all else is boilerplate; x is boilerplate within a range of e.
 */
const [verb, ...files] = process.argv.slice(2);
const corpora = process.env.WEBFARER_CORPORA ?? '';
if (verb === 'show') for (const file of files) show(file);
else if (verb === 'hash')
  for (const line of readFileSync(0, 'utf8').split('\n'))
    if (line.trim() !== '') console.log(hashed(line.trim()));
    else console.error(`show FOLDER/FILE, or hash; folders: ${judgedFolders.join(' ')}`);

function show(file: string): void {
  console.log(`## ${file}`);
  const { html } = pageOf(corpora, file);
  for (const [at, { text, path }] of pageBlocks(html).entries())
    console.log(`${at} ${path.split('>').at(-1)}| ${text.slice(0, 60)}`);
}

function hashed(line: string): string {
  const [file = '', kind = '', ...lists] = line.split(/\s+/);
  const { html, digest } = pageOf(corpora, file);
  const blocks = pageBlocks(html);
  const named = (sign: string): string[] => {
    const list = lists.find((one) => one.startsWith(`${sign}:`))?.slice(2) ?? '';
    return list.split(',').flatMap((range) => {
      if (range === '') return [];
      const [from = 0, to = from] = range.split('-').map(Number);
      return blocks.slice(from, to + 1).map(({ text }) => hashOf(text));
    });
  };
  const content = [...new Set(named('c'))];
  const not = new Set([...content, ...named('x')]);
  const either = [...new Set(named('e'))].filter((hash) => !not.has(hash));
  const page: JudgedPage = { file, kind: kind as JudgedPage['kind'], digest, content, either };
  return lineOf(page);
}
