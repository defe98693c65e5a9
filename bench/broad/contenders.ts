import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scrapyPython } from './peers.ts';
import type { Finished, Task } from './work.ts';

const run = promisify(execFile);
const here = (file: string) => join(import.meta.dirname, file);

const commands = {
  bare: () => [process.execPath, here('bare.ts')],
  bareScanner: () => [process.execPath, here('bare-scanner.ts')],
  ours: () => [process.execPath, here('ours.ts')],
  oursWarc: () => [process.execPath, here('ours.ts')],
  crawlee: () => [process.execPath, here('crawlee.ts')],
  scrapy: () => [scrapyPython(), here('scrapy_spider.py')],
} satisfies Record<string, () => [string, string]>;

export type Contender = keyof typeof commands;
export type Round = Partial<Record<Contender, Finished>>;

/** Runs one contender in a process of its own, with nothing left from the one before. */
export async function contend(name: Contender, task: Task): Promise<Finished> {
  rmSync(join(task.folder, 'ours.crawl'), { recursive: true, force: true });
  const [command, file] = commands[name]() as [string, string];
  const more = name === 'oursWarc' ? ['warc'] : [];
  const { stdout } = await run(command, [file, JSON.stringify(task), ...more], {
    timeout: 600_000,
    cwd: task.folder,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Finished;
}
