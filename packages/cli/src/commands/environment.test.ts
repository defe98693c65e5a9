import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { allCommands } from '../command-table.ts';
import { createProgram, runCli } from '../program.ts';
import { readSecretFile } from '../secrets/given-secrets.ts';
import { variableOf, withEnvironment, wordsVariable } from './environment.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const services = ['coordinator', 'worker', 'mcp'];
const commands = await allCommands();
const program = () => createProgram(fakeWorld(folder, {}, []).context, commands, () => undefined);
const commandOf = (name: string) => program().commands.find((each) => each.name() === name);

function line(argv: string[], env: Record<string, string>): string[] {
  const [name = ''] = argv;
  const operands = (words: string[]) => commandOf(name)?.parseOptions(words).operands ?? [];
  return withEnvironment(argv, env, { command: commandOf(name), operands });
}

it('has a variable for every option of a service, and no two of a service share one', () => {
  for (const name of services) {
    const options = commandOf(name)?.options ?? [];
    const variables = options.map((option) => variableOf(name, option));
    expect(options.length).toBeGreaterThan(5);
    expect(variables).not.toContain(undefined);
    expect(new Set([...variables, wordsVariable(name)]).size).toBe(options.length + 1);
  }
});

it('puts options of the environment before those that were typed, and words after them', () => {
  const env = {
    WEBFARER_OUT: '/data',
    WEBFARER_ALLOW_PRIVATE: '10.0.0.0/8  fd00::/8',
    WEBFARER_ALLOW_MODULES: 'true',
    WEBFARER_QUIET: 'false',
    WEBFARER_TOKEN_FILE: '/run/secrets/worker-token',
    WEBFARER_COORDINATORS: 'http://a:7311 http://b:7311',
    WEBFARER_DATA: '/of-another-command',
  };
  expect(line(['worker', '--connections', '20'], env)).toEqual([
    'worker',
    '--token-file=/run/secrets/worker-token',
    '--out=/data',
    '--allow-private=10.0.0.0/8',
    '--allow-private=fd00::/8',
    '--allow-modules',
    '--connections',
    '20',
    'http://a:7311',
    'http://b:7311',
  ]);
});

it('leaves to the command line what is typed there', () => {
  const env = {
    WEBFARER_COORDINATORS: 'http://a:7311',
    WEBFARER_ALLOW_PRIVATE: '10.0.0.0/8',
    WEBFARER_STORE_FILE: '/run/secrets/store',
    WEBFARER_JOB: 'job.yml',
  };
  const worker = ['worker', '--allow-private=127.0.0.1', 'http://b:7311'];
  expect(line(worker, env)).toEqual(worker);
  const coordinator = ['coordinator', 'other.yml', '--store', 'redis://store'];
  expect(line(coordinator, { ...env, WEBFARER_ALLOW_PRIVATE: '' })).toEqual(coordinator);
});

it('counts an empty variable as unset, and leaves other commands alone', () => {
  expect(line(['coordinator'], { WEBFARER_DATA: '', WEBFARER_JOB: ' ' })).toEqual(['coordinator']);
  expect(line(['crawl', 'example.org'], { WEBFARER_LIMIT: '1' })).toEqual(['crawl', 'example.org']);
});

it('says which variable is wrong', async () => {
  const argv = ['worker', 'http://127.0.0.1:1'];
  const world = fakeWorld(folder, {}, argv);
  const environment = { WEBFARER_UNTIL_DONE: 'perhaps' };
  expect(await runCli(argv, { ...world.context, environment })).toBe(2);
  expect(world.err()).toContain('WEBFARER_UNTIL_DONE is "perhaps"');
});

it('gives a service what it needs: without the variable it lacks its words', async () => {
  const run = async (environment: Record<string, string>) => {
    const world = fakeWorld(folder, {}, ['worker']);
    const exit = await runCli(['worker'], { ...world.context, environment });
    return [exit, world.err()];
  };
  expect(await run({})).toEqual([2, expect.stringContaining("missing required argument 'url'")]);
  expect(await run({ WEBFARER_COORDINATORS: 'http://127.0.0.1:1' })).toEqual([
    2,
    expect.stringContaining('worker.token'),
  ]);
});

it('refuses a secret of this user that others can read, and takes one that an orchestrator mounts', async () => {
  const file = join(folder, 'secret');
  writeFileSync(file, 'redis://store\n', { mode: 0o600 });
  expect(await readSecretFile(file, 'a secret')).toBe('redis://store');
  chmodSync(file, 0o640);
  await expect(readSecretFile(file, 'a secret')).rejects.toThrow('can be read by other users');
  if (process.getuid?.() !== 0) return;
  chownSync(file, 65_534, 65_534);
  expect(await readSecretFile(file, 'a secret')).toBe('redis://store');
});

it('names variables that no command reads, with the one that was meant', async () => {
  const said = async (environment: Record<string, string>) => {
    const world = fakeWorld(folder, {}, []);
    await runCli(['worker', '--connections', 'many'], { ...world.context, environment });
    return world.err();
  };
  const text = await said({ WEBFARER_STOER_FILE: '/a', WEBFARER_OF_A_LATER_VERSION: '1', OTHER: '1' });
  expect(text).toContain('WEBFARER_STOER_FILE');
  expect(text).toContain('WEBFARER_STORE_FILE?');
  expect(text).toContain('WEBFARER_OF_A_LATER_VERSION');
  // Of other services, of all commands, of jobs, and what Kubernetes adds for a service of this name.
  const known = {
    WEBFARER_DATA: '/d',
    WEBFARER_LISTEN: '127.0.0.1:1',
    WEBFARER_STATE: folder,
    WEBFARER_TYPE_CODE: '1',
    WEBFARER_SERVICE_HOST: '10.0.0.1',
    WEBFARER_PORT: 'tcp://10.0.0.1:7311',
    WEBFARER_PORT_7311_TCP_ADDR: '10.0.0.1',
    WEBFARER_COORDINATORS: 'http://a:7311',
    WEBFARER_BROWSER: '/b',
    WEBFARER_EMPTY: '',
  };
  expect(await said(known)).not.toContain(' is set');
});
