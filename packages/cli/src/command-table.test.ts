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

it('loads the command that is typed, and all where help is needed', async () => {
  const all = commandNames();
  expect(wordsOf(await commandsOf(['ls', '--json']))).toEqual(['ls']);
  expect(wordsOf(await commandsOf(['stop']))).toEqual(['pause', 'resume', 'stop']);
  expect(wordsOf(await commandsOf(['--version']))).toEqual([]);
  for (const words of [[], ['--help'], ['craw'], ['completion', 'bash']])
    expect(wordsOf(await commandsOf(words))).toEqual(all);
});

/** Prints the package of every module that is loaded, when the process ends. */
const watch = `
import { registerHooks } from 'node:module';
const seen = {};
registerHooks({ load(url, context, next) {
  const [, home = 'other'] = /packages\\/([a-z]+)\\//.exec(url) ?? [];
  seen[home] = (seen[home] ?? 0) + 1;
  return next(url, context);
} });
process.on('exit', () => process.stderr.write(JSON.stringify(seen)));`;

it('starts without the engine where a command does not crawl', () => {
  const bin = join(import.meta.dirname, 'bin.ts');
  const loaded = (...words: string[]) => {
    const watching = `data:text/javascript,${encodeURIComponent(watch)}`;
    const ran = spawnSync(process.execPath, ['--import', watching, bin, ...words], { encoding: 'utf8' });
    expect(ran.status).toBe(0);
    return JSON.parse(ran.stderr) as Record<string, number>;
  };
  for (const words of [['--version'], ['ls', '--help']]) {
    const { worker = 0, graph = 0, coordinator = 0 } = loaded(...words);
    expect([worker, graph, coordinator], words.join(' ')).toEqual([0, 0, 1]);
  }
  expect(loaded('run', '--help')['worker']).toBeGreaterThan(50);
});
