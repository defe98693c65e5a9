import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeWorld } from './fake-crawl.fixture.ts';
import { createProgram } from './program.ts';
import { allCommands, commandNames, commandsOf, type LoadedGroup } from './command-table.ts';

const wordsOf = (groups: readonly LoadedGroup[]) =>
  createProgram(fakeWorld(tmpdir(), {}, []).context, groups, () => undefined).commands.map((command) =>
    command.name(),
  );

it('has every command under the name it is typed by', async () => {
  expect(commandNames()).toEqual(wordsOf(await allCommands()));
});

it('loads the command that is typed, and all where one stands behind an option', async () => {
  const all = commandNames();
  expect(wordsOf(await commandsOf(['ls', '--json']))).toEqual(['ls']);
  expect(wordsOf(await commandsOf(['stop']))).toEqual(['pause', 'resume', 'stop']);
  for (const words of [[], ['--help'], ['craw'], ['completion', 'bash'], ['--help', 'ls']])
    expect(wordsOf(await commandsOf(words))).toEqual(all);
});

it('lists commands without their code as it would with it', async () => {
  const { context } = fakeWorld(tmpdir(), {}, []);
  const helpOf = (groups: readonly LoadedGroup[]) =>
    createProgram(context, groups, () => undefined).helpInformation();
  expect(helpOf(await commandsOf(['--help']))).toBe(helpOf(await allCommands()));
});

/** Prints the name of every module that is loaded, when the process ends. */
const watch = `
import { registerHooks } from 'node:module';
const seen = [];
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) seen.push(url);
  return next(url, context);
} });
process.on('exit', () => process.stderr.write(JSON.stringify(seen)));`;

function modulesOf(words: readonly string[]): string[] {
  const bin = join(import.meta.dirname, 'bin.ts');
  const watching = `data:text/javascript,${encodeURIComponent(watch)}`;
  const ran = spawnSync(process.execPath, ['--import', watching, bin, ...words], { encoding: 'utf8' });
  expect(ran.status).toBe(0);
  return JSON.parse(ran.stderr) as string[];
}

const jobFile = join(import.meta.dirname, '../../../examples/titles.yml');

/**
 * As many modules as a command may load. These numbers only become smaller, unless a decision says why: 105 took three for
 * expressions that run in linear time, 103 one for named storage, 104 two for keys that are kept apart, and
 * 165 six for the table of numbers.
 */
const mostModules: [words: string[], most: number][] = [
  [['--version'], 2],
  [['--help'], 37],
  [['ls', '--help'], 154],
  [['status', '--help'], 276],
  [['crawl', '--help'], 341],
  [['run', '--help'], 345],
  [['validate', jobFile], 356],
];

it.each(mostModules)('starts %j without the engine', (words, most) => {
  const modules = modulesOf(words);
  expect(modules.filter((url) => /packages\/(worker|graph|coordinator)\/src\/index\.ts$/.test(url))).toEqual(
    [],
  );
  expect(modules.length).toBeLessThanOrEqual(most);
});

it('sees the engine where a command loads it', () => {
  expect(modulesOf(['replay', '--help'])).toContainEqual(expect.stringMatching(/worker\/src\/index\.ts$/));
});
