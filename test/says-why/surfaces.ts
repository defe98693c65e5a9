import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Screen } from './screen.ts';

const run = promisify(execFile);

/** What the four surfaces of a coordinator say at this moment. */
export interface Said {
  screen: string;
  /** Of `status --json`. */
  status: string | undefined;
  event: string | undefined;
  ready: string | undefined;
  readyStatus: number | undefined;
}

export interface SurfacesOptions {
  folder: string;
  url: string;
  screen: Screen;
  command: string;
}

/** Without `status`, which takes a process of its own. */
export async function quickSurfaces({ folder, url, screen }: SurfacesOptions): Promise<Omit<Said, 'status'>> {
  const [event, ready] = await Promise.all([lastStall(folder), readyOf(url)]);
  return { screen: screen.text(), event, ...ready };
}

export async function statusCause({ folder, command }: SurfacesOptions): Promise<string | undefined> {
  const { stdout } = await run(process.execPath, [command, 'status', folder, '--json'], { timeout: 60_000 });
  const status = JSON.parse(stdout) as { crawls?: { stall?: { cause: string } }[] };
  return status.crawls?.[0]?.stall?.cause;
}

async function lastStall(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8').catch(() => '');
  const events = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; stall?: { cause: string } });
  const last = events.findLast(({ type }) => type === 'crawl-stalled' || type === 'crawl-moving');
  return last?.stall?.cause;
}

async function readyOf(url: string): Promise<Pick<Said, 'ready' | 'readyStatus'>> {
  try {
    const answer = await fetch(`${url}/ready/acknowledges`, { signal: AbortSignal.timeout(5_000) });
    const { cause } = (await answer.json()) as { cause?: string };
    return { ready: cause, readyStatus: answer.status };
  } catch {
    return { ready: undefined, readyStatus: undefined };
  }
}
