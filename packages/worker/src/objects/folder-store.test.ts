import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openObjectStore } from './object-place.ts';
import { objectStoreSuite } from './object-store.suite.ts';

const root = mkdtempSync(join(tmpdir(), 'webfarer-objects-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const open = (name: string) => openObjectStore({ address: `file://${root}/${name}` });

describe('a folder as object store', () => {
  objectStoreSuite(open);

  it('reports a folder that cannot be written as storage trouble, with its address', async () => {
    writeFileSync(join(root, 'taken'), '');
    const store = await open('taken');
    await expect(store.put('k', Buffer.from('x'))).rejects.toMatchObject({
      code: 'object-storage',
      message: expect.stringContaining(`cannot write file://${root}/taken/k`),
    });
  });

  it('takes no key that leads out of the folder', async () => {
    const store = await open('inside');
    for (const key of ['../x', 'a/../../x', '/x', 'a//b', ''])
      await expect((async () => await store.put(key, Buffer.from('x')))()).rejects.toThrow('not a key');
  });
});
