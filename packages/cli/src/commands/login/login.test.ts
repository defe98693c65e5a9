import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const command = resolve(import.meta.dirname, '../../bin.ts');

it('keeps the cookies of a file as an account, lists and removes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-login-'));
  const file = join(folder, 'cookies.txt');
  writeFileSync(file, 'example.org\tTRUE\t/\tFALSE\t0\ts\tsecret\nother.test\tTRUE\t/\tFALSE\t0\ts\tx\n');
  const run = async (...words: string[]) =>
    (
      await promisify(execFile)(process.execPath, [command, 'login', ...words], {
        env: { ...process.env, WEBFARER_STATE: folder },
      })
    ).stdout;
  try {
    const kept = await run('https://www.example.org/', '--as', 'ada', '--cookies', file);
    expect(kept).toContain('ada of example.org: 1 cookie,');
    expect(await run('list', '--json')).toContain('"site":"example.org","as":"ada"');
    expect(await run('remove', 'example.org', 'ada')).toContain('removed');
    expect(await run('list', '--json')).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
