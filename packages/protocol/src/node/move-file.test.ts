import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type FileSystem, moveFile, nameFile } from './move-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-move-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A system whose first renames fail. */
function stubborn(platform: NodeJS.Platform, codes: string[]): FileSystem & { tries: number } {
  const system = {
    platform,
    tries: 0,
    link,
    async rename(from: string, to: string) {
      system.tries++;
      const code = codes.shift();
      if (code !== undefined) throw failure(code);
      await rename(from, to);
    },
  };
  return system;
}

it('tries again on Windows while something has the file open', async () => {
  writeFileSync(at('new'), 'new');
  writeFileSync(at('old'), 'old');
  const system = stubborn('win32', ['EPERM', 'EACCES', 'EBUSY']);
  await moveFile(at('new'), at('old'), system);
  expect(readFileSync(at('old'), 'utf8')).toBe('new');
  expect(system.tries).toBe(4);
});

it('gives up after a bounded number of tries, with what the system said', async () => {
  const system = stubborn(
    'win32',
    Array.from({ length: 100 }, () => 'EPERM'),
  );
  await expect(moveFile(at('a'), at('b'), system)).rejects.toMatchObject({ code: 'EPERM' });
  expect(system.tries).toBe(9);
});

it('tries once elsewhere, and for errors that do not pass', async () => {
  const linux = stubborn('linux', ['EPERM']);
  await expect(moveFile(at('a'), at('b'), linux)).rejects.toMatchObject({ code: 'EPERM' });
  const full = stubborn('win32', ['ENOSPC']);
  await expect(moveFile(at('a'), at('b'), full)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect([linux.tries, full.tries]).toEqual([1, 1]);
});

it('copies where a file system has no hard links, and never replaces', async () => {
  writeFileSync(at('from'), 'text');
  const system = { ...stubborn('darwin', []), link: () => Promise.reject(failure('ENOTSUP')) };
  expect(await nameFile(at('from'), at('to'), system)).toBe(true);
  writeFileSync(at('from'), 'other');
  expect(await nameFile(at('from'), at('to'), system)).toBe(false);
  expect(await nameFile(at('from'), at('to'))).toBe(false);
  expect(readFileSync(at('to'), 'utf8')).toBe('text');
});
