import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { allCommands } from '../command-table.ts';
import { createProgram, runCli } from '../program.ts';
import { type Shell, shells } from './scripts.ts';
import { commandShapes } from './shape.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-completion-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  const world = fakeWorld(home, {}, ['completion', shell]);
  expect(await runCli(['completion', shell], world.context)).toBe(0);
  return world.out();
}

const has = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0;

test.each(shells)('%s: every command and option that help shows is in it', async (shell) => {
  const script = await scriptOf(shell);
  const { context } = fakeWorld(home, {}, []);
  const commands = commandShapes(createProgram(context, await allCommands(), () => {}));
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['crawl', 'doctor', 'completion']));
  for (const { name, options, words } of commands) {
    expect(script).toContain(name);
    for (const { long } of options) expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long);
    for (const word of words) expect(script).toContain(word.name);
  }
});

test('another shell is a usage error', async () => {
  const world = fakeWorld(home, {}, []);
  expect(await runCli(['completion', 'tcsh'], world.context)).toBe(2);
  expect(world.err()).toContain('Allowed choices are bash, zsh, fish');
});

describe.skipIf(!has('bash'))('in bash', () => {
  async function complete(...words: string[]): Promise<string[]> {
    const file = join(home, 'webfarer.bash');
    writeFileSync(file, await scriptOf('bash'));
    const list = ['webfarer', ...words].map((word) => `'${word}'`).join(' ');
    const asked = `source ${file}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _webfarer; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', asked], {
      cwd: home,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((line) => line !== '');
  }

  test('commands, options, choices, words and files', async () => {
    expect(await complete('cra')).toEqual(['crawl']);
    expect(await complete('crawl', 'example.org', '--recr')).toEqual(['--recrawl']);
    expect(await complete('crawl', '--stay', '')).toEqual(['path', 'host', 'site', 'web']);
    expect(await complete('warc', 'va')).toEqual(['validate']);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    writeFileSync(join(home, 'my-job.yml'), '');
    expect(await complete('run', 'my-')).toEqual(['my-job.yml']);
    expect(await complete('crawl', '--nonsense')).toEqual([]);
  });
});

describe.each(['zsh', 'fish'] as const)('in %s', (shell) => {
  test.skipIf(!has(shell))('it is a script that the shell can read', async () => {
    const file = join(home, `webfarer.${shell}`);
    writeFileSync(file, await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
