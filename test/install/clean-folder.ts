import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeRelease } from './node-release.ts';

export interface Ran {
  /** The exit code; a signal's name when one ended it. */
  code: number | string;
  output: string;
}

export interface CleanFolder {
  path: string;
  /** `npm install` of the tarballs, without install scripts. */
  install(tarballs: string[]): Promise<Ran>;
  /** A line typed into a shell here. `interruptWhen` presses Ctrl-C once it holds. */
  type(line: string, options?: { interruptWhen?: () => boolean }): Promise<Ran>;
}

const deadlineMs = 120_000;

/** An empty folder on a machine that has this Node and nothing of ours in its environment. */
export function cleanFolder(path: string, node: NodeRelease, extra: Record<string, string>): CleanFolder {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), '{ "private": true }\n');
  const emptyConfig = join(path, '.empty-npmrc');
  writeFileSync(emptyConfig, '');
  const { HOME = path, PATH = '' } = process.env;
  const ours = PATH.split(':').filter((part) => !part.includes('node_modules') && !part.includes('.tools'));
  const base = { HOME, PATH: [node.bin, ...ours].join(':'), npm_config_update_notifier: 'false' };
  return {
    path,
    install: (tarballs) =>
      run({
        command: 'npm',
        args: ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs],
        cwd: path,
        env: base,
      }),
    // What the person's own npm settings would print is not ours to answer for.
    type: (line, options = {}) =>
      run({
        command: 'sh',
        args: ['-c', line],
        cwd: path,
        env: { ...base, ...extra, NPM_CONFIG_USERCONFIG: emptyConfig },
        ...options,
      }),
  };
}

interface Run {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  interruptWhen?: () => boolean;
}

function run({ command, args, cwd, env, interruptWhen }: Run): Promise<Ran> {
  return new Promise((done, failed) => {
    // A process group of its own, because Ctrl-C in a terminal reaches all of a group.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
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
      done({ code: code ?? signal ?? 'unknown', output });
    });
  });
}

/** Lines that look like a warning of Node, npm or ourselves. Those about the person's npm settings are not ours. */
export function warningsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /\bwarn(ing)?\b|deprecat|experimental/i.test(line))
    .filter((line) => !/npm warn Unknown \w+ config/i.test(line));
}
