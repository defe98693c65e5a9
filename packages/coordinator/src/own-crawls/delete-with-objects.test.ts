import { WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { deleteWithObjects } from './delete-with-objects.ts';

const entry = { id: 'x', name: 'x', nonce: 'n', job: {} } as CatalogEntry;
const trouble = () => Promise.reject(new WebfarerError('storage', 'access is denied'));

function world({ mark, purge }: { mark?: () => Promise<void>; purge?: () => Promise<void> } = {}) {
  const done: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  const objects = {
    address: 's3://archive/x',
    mark: mark ?? step('mark'),
    purge: purge ?? step('purge'),
    close: () => void done.push('close'),
  };
  const host = { objectsOf: () => Promise.resolve(objects) };
  const deleting = deleteWithObjects(entry, host, async () => done.push('delete') > 0);
  return { done, deleting };
}

it('removes the objects when nobody works on the crawl any more', async () => {
  const { done, deleting } = world();
  expect(await deleting).toBe(true);
  expect(done).toEqual(['mark', 'delete', 'purge', 'close']);
});

it('deletes nothing where this machine has no way to the objects', async () => {
  const { done, deleting } = world({ mark: trouble });
  await expect(deleting).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('The crawl x was not deleted: its objects at s3://archive/x'),
  });
  expect(done).toEqual(['close']);
});

it('says how to remove objects that were left', async () => {
  const { done, deleting } = world({ purge: trouble });
  await expect(deleting).rejects.toMatchObject({
    code: 'incomplete',
    next: 'webfarer storage tidy s3://archive/x',
  });
  expect(done).toEqual(['mark', 'delete', 'close']);
});
