import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aclLine, storeCommands } from './rights.ts';

const source = join(import.meta.dirname, '../..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: source })
    .filter((file) => !/\.(test|suite|fixture)\.ts$/.test(file) && !file.includes('migration'))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');

/** Words in capitals that are no commands. */
const words = new Set('COUNT LIMIT STREAM RANK WITHSCORES MAXLEN MINID ENTRIESADDED MAXDELETEDID'.split(' '));
/** What functions answer. */
const answers = new Set('AGAIN ALL BUSY CLOCK CLOSED FULL GONE LATE LOOK REPLACED SOME STALE'.split(' '));

it('names every command that a function runs', () => {
  const lua = read('redis/lua/**/*.lua');
  const run = [...lua.matchAll(/'([A-Z]{3,})'/g)].map(([, word = '']) => word);
  const commands = run.filter((word) => !words.has(word) && !answers.has(word));
  expect(commands.length).toBeGreaterThan(100);
  const named = new Set(storeCommands.map((name) => name.split('|')[0]?.toUpperCase()));
  expect(commands.filter((word) => !named.has(word))).toEqual([]);
});

it('names none that is used nowhere', () => {
  const all = read('**/*.lua') + read('**/*.ts');
  const unused = storeCommands.filter(
    (name) => !new RegExp(`'${name.split('|')[0]?.toUpperCase() ?? ''}'`).test(all),
  );
  expect(unused).toEqual([]);
});

it('is the line that the documentation shows', () => {
  const page = readFileSync(join(source, '../../../docs/stores.md'), 'utf8');
  expect(page).toContain(aclLine('webfarer'));
});
