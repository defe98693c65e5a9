import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JobInput } from '@webfarer/protocol';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';

/** Pause between two requests to a host in proofs: long enough to be measured, short enough to wait for. */
export const labGapMs = 50;
/** The 12 MB pages of the fake web are cut here: gigabytes would prove nothing more. */
const labMaxBytes = 200_000;

export const commandPath = join(import.meta.dirname, '../../packages/cli/src/bin.ts');

/** A temporary folder that goes when the proof ends, whatever happens. */
export function workFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `webfarer-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What the lab job makes of the fake web. */
export const labExpects: ExpectOptions = { maxBodyBytes: labMaxBytes };

/** The job of a proof: the whole fake web, at test pace. */
export function labJob(fake: FakeWeb, changes: Partial<JobInput> = {}): JobInput {
  return {
    name: 'lab',
    seeds: fake.web.seeds(),
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web' },
    limits: {
      pages: 'none',
      bytes: 'none',
      duration: 'none',
      depth: 'none',
      cost: 'none',
      perHost: { pages: fake.web.hostBudget() },
      perSite: { pages: 'none' },
      minFree: '50MB',
    },
    politeness: { gap: `${labGapMs}ms`, slowFactor: 0 },
    robots: { giveUpAfter: '2s' },
    fetch: {
      ...fake.fetch,
      timeout: '20s',
      maxBody: `${labMaxBytes}B`,
      retries: { count: 3, backoff: '100ms', deadAfter: 3 },
    },
    ...changes,
  };
}

/** Hosts that make a crawl wait by their nature; proofs about faults leave them out to be quick. */
const patientHosts = /^(calm|slowly|sick|busy|calendar|spiral)\d/;

/** Where a proof ends processes no page is to blame for it, and there are more deaths than any page could cause. */
function blameless(job: JobInput): JobInput {
  return { ...job, fetch: { ...job.fetch, retries: { ...job.fetch?.retries, poisonAfter: 35 } } };
}

/** The lab job without the hosts that only take time, and what then is right. */
export function briskJob(fake: FakeWeb): { job: JobInput; expect: ExpectOptions } {
  const exclude = [{ regex: '^https?://(calm|slowly|sick|busy|calendar|spiral)\\d' }];
  return {
    job: blameless(labJob(fake, { scope: { stay: 'web', exclude } })),
    expect: { ...labExpects, hosts: (host) => !patientHosts.test(host.name) },
  };
}

/** Characters of one expression. */
const maxExpression = 1_500;

/** Patterns for all hosts of the fake web but those with such a name. */
export function allHostsBut({ web }: FakeWeb, names: RegExp): { regex: string }[] {
  const lists: string[] = [];
  for (let index = 0; index < web.hosts; index++) {
    const { name } = web.host(index);
    if (names.test(name)) continue;
    const list = lists.at(-1);
    if (list === undefined || list.length > maxExpression) lists.push(name);
    else lists[lists.length - 1] = `${list}|${name}`;
  }
  return lists.map((list) => ({ regex: `^https?://(${list.replaceAll('.', '\\.')})[:/]` }));
}

/** For quick forms: a handful of hosts. */
const fewHosts = /^((www\.)?hub|127\.)/;

/** The lab job on a handful of hosts, and what then is right. */
export function smallJob(fake: FakeWeb): { job: JobInput; expect: ExpectOptions } {
  const exclude = allHostsBut(fake, fewHosts);
  return {
    job: blameless(labJob(fake, { scope: { stay: 'web', exclude } })),
    expect: { ...labExpects, hosts: (host) => fewHosts.test(host.name) },
  };
}

export interface Crawler {
  child: ChildProcess;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  /** What it printed so far. */
  output(): string;
}

/** Writes the job beside the folder and starts `webfarer run` on it, as a person would. */
export async function writeJob(file: string, job: JobInput): Promise<void> {
  await writeFile(file, JSON.stringify(job, null, 2));
}

export interface StartOptions {
  env?: Record<string, string>;
  args?: string[];
  /** Another copy of the command, for controls. */
  command?: string;
  /** Called for each line on stdout. */
  line?: (text: string) => void;
}

export function startCrawler(
  jobFile: string,
  folder: string,
  { env = {}, args = [], command = commandPath, line }: StartOptions = {},
): Crawler {
  const words = ['run', jobFile, '--out', folder, '--quiet', ...args];
  const child = spawn(process.execPath, [command, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Crawls of a proof do not take turns, unless it says so: each has a host ledger of its own.
    env: { ...process.env, WEBFARER_STATE: `${folder}.state`, ...env },
  });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  if (line && child.stdout) createInterface(child.stdout).on('line', line);
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  return { child, ended, output: () => text };
}

/** The processes that a process has started and that are still there. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Waits for a condition with a deadline; the error says what was waited for. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `--processes N`: with how many processes the crawls of a proof are made. */
export function processesOf(args: string[], usually = 1): number {
  return Number(argument(args, '--processes') ?? usually);
}

/** The value behind `--name`, if it was given. */
export function argument(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}
