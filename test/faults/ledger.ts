import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RowName } from './rows.ts';

/** What one row has shown on one state of the product, over all runs. */
export interface LedgerLine {
  /** The last commit that changed a package: what was tested. */
  commit: string;
  row: RowName;
  faults: number;
  crawls: number;
  /** URLs that had to be crawled, over all crawls. */
  urls: number;
  lost: number;
  extra: number;
  duplicates: number;
  /** Recorded with another outcome than the right one. */
  wrong: number;
  disallowed: number;
  gapViolations: number;
  /** Fetches beyond one per URL: allowed, but told. */
  repeats: number;
  /** The longest time in which no request was made at all while there was work. */
  stallMs: number;
  /** Processes that nobody struck and that ended all the same; their crawls are not judged. */
  ended: number;
  /** Crawls that were left in peace and did not come to their end all the same. */
  unfinished: number;
  /** Rate of the crawl under churn as a part of its rate before: the least of all runs. */
  throughput?: number;
}

const root = resolve(import.meta.dirname, '../..');
const file = join(import.meta.dirname, 'ledger.jsonl');

export function readLedger(path = file): LedgerLine[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  type Written = Omit<LedgerLine, 'unfinished'> & Partial<Pick<LedgerLine, 'unfinished'>>;
  return lines.map((line) => ({ unfinished: 0, ...(JSON.parse(line) as Written) }));
}

/** Adds a run to what the ledger has of the same commit and row. */
export function addToLedger(run: LedgerLine, path = file): void {
  const lines = readLedger(path);
  const at = lines.findIndex(({ commit, row }) => commit === run.commit && row === run.row);
  const before = lines[at];
  if (before) lines[at] = sum(before, run);
  else lines.push(run);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Everything but the worst stall and the least rate adds up. */
export function sum(a: LedgerLine, b: LedgerLine): LedgerLine {
  const total = { ...a };
  for (const name of counted) total[name] = a[name] + b[name];
  total.stallMs = Math.max(a.stallMs, b.stallMs);
  if (b.throughput !== undefined) total.throughput = Math.min(a.throughput ?? b.throughput, b.throughput);
  return total;
}

const counted = [
  'faults',
  'crawls',
  'urls',
  'lost',
  'extra',
  'duplicates',
  'wrong',
  'disallowed',
  'gapViolations',
  'repeats',
  'ended',
  'unfinished',
] as const;

/** The commit whose packages are in the working tree; undefined when they were changed since. */
export function testedCommit(): string | undefined {
  if (git('status', '--porcelain', '--', 'packages') !== '') return undefined;
  return git('log', '-1', '--format=%h', '--abbrev=10', '--', 'packages') || undefined;
}

function git(...args: string[]): string {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : 'unknown';
}
