import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import { reportFailure } from './failure.ts';

/** What a person reads of it. */
function told(error: unknown): string {
  let text = '';
  const err = (piece: string) => void (text += piece);
  reportFailure(error, { err, columns: () => 200, colour: false } as unknown as Terminal);
  return text;
}

it('says of a file in the way of a folder, and the other way round, what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-failure-'));
  try {
    const file = join(folder, 'tables');
    writeFileSync(file, '');
    const attempts = [mkdir(file), mkdir(join(file, 'sub')), readFile(folder)];
    for (const error of await Promise.all(
      attempts.map((attempt) => attempt.catch((caught: unknown) => caught)),
    )) {
      expect(told(error)).toContain('is in the way');
      expect(told(error)).toContain('Choose another path');
      expect(told(error)).not.toContain('report it');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
