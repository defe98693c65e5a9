import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { NodeRelease } from './node-release.ts';

export interface Ran {
  /** As a shell tells it: 128 and the signal's number when one ended the command. */
  code: number;
  output: string;
}

export interface Shell {
  folder: string;
  env: Record<string, string>;
}

const deadlineMs = 180_000;

/** What npm and our own tools put into the environment; the rest (proxies, certificates) is the machine's. */
const ours = /^(npm_|NPM_|INIT_CWD$|NODE$|NODE_OPTIONS$|WEBFARER_|PATH$)/;

/** An empty folder on a machine that has this Node and nothing of ours in its environment. */
export function emptyFolder(folder: string, node: NodeRelease): Shell {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const { PATH = '' } = process.env;
  const others = PATH.split(':').filter((part) => !/node_modules|\.tools/.test(part));
  const theirs = Object.entries(process.env).filter(([name]) => !ours.test(name)) as [string, string][];
  // The host ledger of a person who has crawled nothing yet.
  const XDG_STATE_HOME = `${folder}.state`;
  rmSync(XDG_STATE_HOME, { recursive: true, force: true });
  const found = [node.bin, ...others].join(':');
  return { folder, env: { ...Object.fromEntries(theirs), XDG_STATE_HOME, PATH: found } };
}

/** The same folder for somebody with no npm settings: what theirs make npm print is not ours to answer for. */
export function withoutNpmSettings({ folder, env }: Shell): Shell {
  const settings = join(folder, '.no-npmrc');
  writeFileSync(settings, '');
  return { folder, env: { ...env, NPM_CONFIG_USERCONFIG: settings, NPM_CONFIG_UPDATE_NOTIFIER: 'false' } };
}

/** Types a line into a shell. `interruptWhen` presses Ctrl-C once it holds. */
export function type(shell: Shell, line: string, interruptWhen?: () => boolean): Promise<Ran> {
  return new Promise((done, failed) => {
    // A process group of its own, because Ctrl-C in a terminal reaches all of a group.
    const child = spawn('sh', ['-c', line], {
      cwd: shell.folder,
      env: shell.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const toGroup = (signal: NodeJS.Signals): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    };
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const watch = setInterval(() => {
      if (!interruptWhen?.()) return;
      clearInterval(watch);
      toGroup('SIGINT');
    }, 10);
    const deadline = setTimeout(() => toGroup('SIGKILL'), deadlineMs);
    child.on('error', failed);
    child.on('close', (code, signal) => {
      clearInterval(watch);
      clearTimeout(deadline);
      done({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], output });
    });
  });
}

/** Lines that look like a warning of Node, npm or ourselves; those about a person's npm settings are not ours. */
export function warningsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /\bwarn(ing)?\b|deprecat|experimental/i.test(line))
    .filter((line) => !/npm warn Unknown \w+ config/i.test(line));
}
