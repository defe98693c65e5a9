import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { faultsPage } from '../../scripts/docs/faults-page.ts';
import { addToLedger, type LedgerLine, readLedger } from './ledger.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run: LedgerLine = {
  commit: 'abc',
  row: 'worker-kill',
  faults: 10,
  crawls: 2,
  urls: 3_000,
  lost: 0,
  extra: 0,
  duplicates: 0,
  wrong: 0,
  disallowed: 0,
  gapViolations: 0,
  repeats: 4,
  stallMs: 700,
  ended: 0,
  unfinished: 0,
};

it('adds runs of one commit and row up, and keeps others apart', () => {
  const file = join(folder, 'ledger.jsonl');
  writeFileSync(file, '');
  addToLedger(run, file);
  addToLedger({ ...run, stallMs: 900, lost: 1 }, file);
  addToLedger({ ...run, commit: 'def' }, file);
  addToLedger({ ...run, row: 'freeze' }, file);
  addToLedger({ ...run, row: 'churn', throughput: 0.9 }, file);
  addToLedger({ ...run, row: 'churn', throughput: 0.8 }, file);
  addToLedger({ ...run, row: 'churn', throughput: 0.95 }, file);
  expect(readLedger(file)).toEqual([
    { ...run, faults: 20, crawls: 4, urls: 6_000, repeats: 8, stallMs: 900, lost: 1 },
    { ...run, commit: 'def' },
    { ...run, row: 'freeze' },
    { ...run, row: 'churn', faults: 30, crawls: 6, urls: 9_000, repeats: 12, throughput: 0.8 },
  ]);
});

it('makes a table that hides no harm', () => {
  const calm = faultsPage([run, { ...run, commit: 'def' }]);
  expect(calm).toContain('| 200 | 20 | 4 | 6,000 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 8 | 0.7 s |');
  expect(calm).toContain('to 15.00 %');
  const harmed = faultsPage([{ ...run, gapViolations: 2 }]);
  expect(harmed).toContain('| 200 | 10 | 2 | 3,000 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 4 | 0.7 s |');
  expect(harmed).not.toContain('none of which did harm');
  expect(faultsPage([{ ...run, ended: 1 }])).not.toContain('none of which did harm');
  expect(faultsPage([{ ...run, unfinished: 1 }])).not.toContain('none of which did harm');
  expect(faultsPage([{ ...run, row: 'churn', throughput: 0.812 }])).toContain('0.812 was the least');
});
