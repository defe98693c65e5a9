import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { commandPath, until } from '../prove/lab.ts';
import { shows, stepsOf } from './recipe-page.ts';

const docs = resolve(import.meta.dirname, '../../docs');
/** The port that recipes use for servers of their own; the one thing in a recipe that is replaced. */
const portInRecipes = '8080';

export interface PageRun {
  folder: string;
  /** Where the server of the recipe answers, if it has one. */
  server: string;
  /** What is not as the recipe says. */
  problems: string[];
  /** How many fences were run, written and compared. */
  steps: number;
  output: string;
  stop(): Promise<void>;
}

export interface PageOptions {
  name: string;
  /** An empty folder of its own. */
  folder: string;
  env: Record<string, string>;
  /** The lab's web. */
  proxy: string;
  /** Called before each step that runs something, with its number. */
  before(run: number): void | Promise<void>;
}

/** Does what a recipe says, in a folder of its own, by bash with the command on its path. */
export async function runPage({ name, folder, env, proxy, before }: PageOptions): Promise<PageRun> {
  mkdirSync(folder, { recursive: true });
  const port = String(await freePort());
  const text = readFileSync(pageOf(name), 'utf8').replaceAll(new RegExp(`\\b${portInRecipes}\\b`, 'g'), port);
  const bin = binFolder(`${folder}.bin`, proxy);
  const more = { PATH: `${bin}:${env.PATH ?? process.env.PATH}`, WEBFARER_STATE: `${folder}.state` };
  const options = { cwd: folder, env: { ...process.env, ...env, ...more } };
  const problems: string[] = [];
  const servers: ChildProcess[] = [];
  let output = '';
  let runs = 0;
  const steps = stepsOf(text);
  for (const step of steps) {
    if (step.do === 'write') writeFileSync(join(folder, step.file), step.text);
    if (step.do === 'run') {
      await before(runs++);
      const done = await bash(step.text, options);
      output = done.output;
      if (done.code !== step.exit) {
        problems.push(`exit ${done.code}, not ${step.exit}: ${step.text}${done.output.slice(-2000)}`);
        break;
      }
    }
    if (step.do === 'serve') {
      await before(runs++);
      const server = spawn('bash', ['-c', `exec ${step.text}`], { ...options, stdio: 'ignore' });
      servers.push(server);
      await until(`the server answers: ${step.text}`, () => answers(`http://127.0.0.1:${port}/`), 120_000);
    }
    if (step.do === 'expect' && !holds(step.file === undefined ? output : read(folder, step.file), step.text))
      problems.push(
        `not as stated: ${step.file ?? 'output'}\n${step.text}\nbut\n${step.file === undefined ? output : read(folder, step.file)}`,
      );
  }
  if (runs === 0) problems.push('nothing was run');
  return {
    folder,
    server: `http://127.0.0.1:${port}`,
    problems,
    steps: steps.length,
    output,
    async stop() {
      for (const server of servers) await ended(server);
    },
  };
}

/** A recipe, or a page beside them that is written like one. */
function pageOf(name: string): string {
  const recipe = join(docs, 'recipes', `${name}.md`);
  return existsSync(recipe) ? recipe : join(docs, `${name}.md`);
}

const holds = (text: string | undefined, stated: string) => text !== undefined && shows(text, stated);

function read(folder: string, file: string): string | undefined {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * `webfarer` and `npx webfarer` are the command of this checkout, in the process that the shell starts. What crawls is
 * given the way into the lab's web by one more option. `npm install` does nothing: its packages are in the checkout.
 */
function binFolder(path: string, proxy: string): string {
  mkdirSync(path, { recursive: true });
  const put = (name: string, line: string) => {
    writeFileSync(join(path, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(path, name), 0o755);
  };
  const command = `exec '${process.execPath}' '${commandPath}' "$@"`;
  put('webfarer', `case "$1" in crawl | run | check) ${command} --proxy ${proxy} ;; esac\n${command}`);
  put('npx', 'exec "$@"');
  put('npm', 'test "$1" = install');
  return path;
}

interface Bash {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

function bash(script: string, options: Bash): Promise<{ code: number | string; output: string }> {
  return new Promise((done) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    child.once('close', (code, signal) => done({ code: code ?? signal ?? 'gone', output }));
  });
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill();
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
