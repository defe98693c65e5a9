import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import type { Usage } from './usage-program.ts';

const usageProgram = join(import.meta.dirname, 'usage-program.ts');
const limitMs = 10 * 60_000;

/** One of the two products that are compared, run by its command: the surface that stays the same between commits. */
export interface Side {
  name: 'here' | 'base';
  command: string;
  /** For everything it writes. Compiled code is kept there too, so that both sides start alike. */
  folder: string;
}

export interface CommandOptions {
  words: string[];
  /** For Node itself. */
  flags?: string[];
  started?: (pid: number) => void;
}

/** Runs a command of a side to its end, in an empty folder with the job as `job.json`. */
export async function runCommand(
  { name, command, folder }: Side,
  job: JobInput | undefined,
  { words, flags = [], started }: CommandOptions,
): Promise<Usage> {
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  if (job) writeFileSync(join(work, 'job.json'), JSON.stringify(job));
  const usage = join(work, 'usage.json');
  const child = spawn(process.execPath, [...flags, '--import', usageProgram, command, ...words], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...environment(folder), COST_USAGE: usage },
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  if (child.pid !== undefined) started?.(child.pid);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name}: webfarer ${words.join(' ')} ended with ${String(code)}\n${said}`);
  return JSON.parse(readFileSync(usage, 'utf8')) as Usage;
}

export function environment(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    WEBFARER_STATE: join(folder, 'work', 'state'),
  };
}
