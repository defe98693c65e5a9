import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { diskUse } from './disk-use.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-disk-use-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('counts what each saver has written, and leaves out what is empty or not theirs', async () => {
  for (const path of [
    'archive/a.warc.gz',
    'markdown/h.test/index.md',
    'markdown/h.test/b/c.md',
    'report.html',
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'text');
  }
  mkdirSync(join(folder, 'files'));
  expect(await diskUse(folder)).toEqual([
    { place: 'archive', files: 1, bytes: 4 },
    { place: 'markdown', files: 2, bytes: 8 },
  ]);
});
