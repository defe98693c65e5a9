import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkerKey } from './data-folder.ts';

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-worker-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('makes a key for a worker once, which only its owner can read', async () => {
  const folder = folderOfTest();
  const key = await openWorkerKey(folder);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(await openWorkerKey(folder)).toBe(key);
  expect(statSync(join(folder, 'worker.key')).mode & 0o777).toBe(0o600);
});

it('says that the key of a worker is damaged, and what to do', async () => {
  for (const text of ['', '  \n', 'two words', 'short', '\0'.repeat(44)]) {
    const folder = folderOfTest();
    const file = join(folder, 'worker.key');
    writeFileSync(file, text);
    await expect(openWorkerKey(folder)).rejects.toMatchObject({
      code: 'folder-damaged',
      message: `${file} is damaged: it holds no key`,
      next: expect.stringContaining(`rm ${file}`) as string,
    });
  }
});
