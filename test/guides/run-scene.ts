import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandPath } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';
import { isListed } from './not-run.ts';
import { commandsOf, type DocCommand } from './page-commands.ts';
import type { Scene } from './scenes.ts';

/** Ports that the docs name, each of which becomes a free one. */
const portsInDocs = { coordinator: '7311', redis: '6379' };
const sceneMs = 240_000;

export interface SceneRun {
  name: string;
  commands: number;
  /** What did not end well, with the end of the output. */
  problems: string[];
}

/** Commands of the scene's pages that are run. */
export function commandsIn(scene: Scene): DocCommand[] {
  return scene.pages.flatMap((page) => commandsOf(page)).filter((command) => !isListed(command));
}

/** Types all commands of a scene into one bash, in a folder of its own. Ends everything that they started. */
export async function runScene(
  scene: Scene,
  options: { folder: string; proxy: string; env: Record<string, string> },
): Promise<SceneRun> {
  const { folder, proxy, env } = options;
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(scene.files))
    writeFileSync(join(folder, file), text.replaceAll('LAB_PROXY', proxy));
  symlinkSync(resolve(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const [coordinator = 0, redis = 0] = await freePorts('127.0.0.1', 2);
  const commands = commandsIn(scene);
  const typed = script(scene, commands)
    .replaceAll(new RegExp(`\\b${portsInDocs.coordinator}\\b`, 'g'), String(coordinator))
    .replaceAll(new RegExp(`\\b${portsInDocs.redis}\\b`, 'g'), String(redis));
  const bin = binFolder(`${folder}.bin`, { port: coordinator, proxy });
  const own = {
    PATH: `${bin}:${process.env.PATH}`,
    WEBFARER_STATE: `${folder}.state`,
    WEBFARER_PROXY: proxy,
    HOME: folder,
    // Dozens of commands load the same files.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, '../compiled'),
  };
  const { code, output } = await bash(typed, { cwd: folder, env: { ...process.env, ...env, ...own } });
  const problems = code === 0 ? [] : [`${scene.name}: exit ${code} of ${lastTyped(output, commands)}`];
  return { name: scene.name, commands: commands.length, problems };
}

const mark = (n: number | string) => `echo '::${n}::'`;

function script(scene: Scene, commands: readonly DocCommand[]): string {
  const lines = commands.map(({ text }, n) => `${mark(n)}\n${lineOf(scene, text)}`);
  return [
    'set -euo pipefail',
    // Ends what runs in the background, and waits until it has ended.
    `trap 'code=$?; kill $(jobs -p) 2>/dev/null || true; wait; exit $code' EXIT`,
    ready,
    mark('before'),
    scene.before,
    ...lines,
    mark('after'),
    scene.after,
  ].join('\n');
}

/** `ready URL`: waits until a server answers there, if only with a refusal. `file PATH`: until it is there. */
const ready = [
  'ready() { for n in $(seq 600); do /usr/bin/curl -s -o /dev/null "$1" && return; sleep 0.1; done; return 1; }',
  'file() { for n in $(seq 600); do test -s "$1" && return; sleep 0.1; done; return 1; }',
].join('\n');

function lineOf({ instead, lasting, asking }: Scene, text: string): string {
  let line = text;
  for (const [from, to] of Object.entries(instead)) line = line.replaceAll(from, to);
  const bare = line.replace(/\s+#.*$/, '');
  if (lasting.some((start) => text.startsWith(start)))
    return `rm -f lasting.out\n${bare} > lasting.out & pid=$!\nfile lasting.out && kill $pid && wait $pid || true\ntest -s lasting.out`;
  if (asking.some((start) => bare === start)) return `${bare} --yes`;
  return line;
}

function lastTyped(output: string, commands: readonly DocCommand[]): string {
  const at = output.lastIndexOf('\n::');
  const [, n = ''] = /::(\w+)::/.exec(output.slice(at)) ?? [];
  const command = commands[Number(n)];
  const what = command ? `${command.page}.md: ${command.text}` : `the lines ${n} the commands`;
  return `${what}\n${output.slice(at).trim().slice(-2_000)}`;
}

/** `webfarer` is the command of this checkout. It reaches the lab's web, and a coordinator listens where nobody else does. */
function binFolder(path: string, { port, proxy }: { port: number; proxy: string }): string {
  mkdirSync(path, { recursive: true });
  const command = `exec '${process.execPath}' '${commandPath}' "$@"`;
  const put = (name: string, text: string) => {
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(path, name), 0o755);
  };
  const cases = [
    `coordinator) ${command} --listen 127.0.0.1:${port} ;;`,
    `crawl | run) ${command} --proxy ${proxy} ;;`,
  ];
  put('webfarer', `case "$1" in\n${cases.join('\n')}\nesac\n${command}`);
  // A refusal must not look like success.
  put('curl', 'exec /usr/bin/curl --fail-with-body "$@"');
  return path;
}

function bash(
  text: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number | string; output: string }> {
  return new Promise((done) => {
    const child = spawn('timeout', ['--kill-after=10', String(sceneMs / 1000), 'bash', '-c', text], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '\n';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    child.once('close', (code, signal) => done({ code: code ?? signal ?? 'gone', output }));
  });
}
