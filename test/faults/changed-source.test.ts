import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oldShares } from '../demand/old-shares.ts';
import { copyWith } from './changed-source.ts';
import { controls } from './controls.ts';

let under: string;
beforeEach(() => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-changed-'));
});
afterEach(() => rmSync(under, { recursive: true, force: true }));

it('runs the copy, with what was changed in it and nothing else', () => {
  const file = 'packages/cli/src/machine/version.ts';
  const command = copyWith(
    [{ file, from: 'export ', to: "process.stdout.write('changed ');\nexport " }],
    under,
  );
  expect(execFileSync(process.execPath, [command, '--version'], { encoding: 'utf8' })).toMatch(/^changed /);
});

it('fits every control to the source as it is', () => {
  for (const [name, changes] of Object.entries({ ...controls, oldShares })) {
    const folder = join(under, name);
    expect(() => copyWith(changes, folder)).not.toThrow();
  }
  const stray = [{ file: 'packages/cli/src/machine/version.ts', from: 'no such text', to: '' }];
  expect(() => copyWith(stray, join(under, 'stray'))).toThrow('does not fit');
});
