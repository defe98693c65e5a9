import { WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { CrawlObjects } from '../crawl/crawl-host.ts';
import { deleteWithObjects, endDeletion } from './delete-with-objects.ts';

const entry = { id: 'x', name: 'x', nonce: 'n', job: {} } as CatalogEntry;
const trouble = () => Promise.reject(new WebfarerError('storage', 'access is denied'));

function world(
  how: Partial<CrawlObjects> & { isResumed?: boolean; isEnding?: boolean; unreadable?: WebfarerError } = {},
) {
  const done: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  const objects = {
    address: 's3://archive/x',
    check: how.check ?? step('check'),
    mark: how.mark ?? step('mark'),
    purge: how.purge ?? step('purge'),
    close: () => void done.push('close'),
  };
  const host = {
    objectsOf: () => (how.unreadable ? Promise.reject(how.unreadable) : Promise.resolve(objects)),
  };
  const steps = {
    async condemn() {
      done.push('condemn');
      return how.isResumed ? undefined : entry;
    },
    erase: step('erase'),
    remove: step('remove'),
  };
  const deleting = how.isEnding ? endDeletion(entry, host, steps) : deleteWithObjects(entry, host, steps);
  return { done, deleting };
}

it('judges the entry before it touches an object, and drops it when all objects are gone', async () => {
  const { done, deleting } = world();
  expect(await deleting).toBe(true);
  expect(done).toEqual(['check', 'condemn', 'mark', 'erase', 'purge', 'remove', 'close']);
});

it('leaves the objects of a crawl alone that was resumed meanwhile', async () => {
  const { done, deleting } = world({ isResumed: true });
  expect(await deleting).toBe(false);
  expect(done).toEqual(['check', 'condemn', 'close']);
});

it('deletes nothing where this machine has no way to the objects', async () => {
  const { done, deleting } = world({ check: trouble });
  await expect(deleting).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('The crawl x was not deleted: its objects at s3://archive/x'),
  });
  expect(done).toEqual(['close']);
});

it('keeps the entry while objects are left, and says what follows', async () => {
  const { done, deleting } = world({ purge: trouble });
  await expect(deleting).rejects.toMatchObject({
    code: 'incomplete',
    next: expect.stringContaining('webfarer storage tidy s3://archive/x'),
  });
  expect(done).toEqual(['check', 'condemn', 'mark', 'erase', 'close']);
});

it('deletes a crawl whose job does not say where in a way that is read here, and says so', async () => {
  const unreadable = new WebfarerError('job-invalid', 'save: unknown field "cloud"');
  const { done, deleting } = world({ unreadable });
  await expect(deleting).rejects.toMatchObject({
    code: 'incomplete',
    message: expect.stringContaining('The crawl x was deleted.'),
  });
  expect(done).toEqual(['condemn', 'erase']);
});

it('ends a deletion that was cut off', async () => {
  const { done, deleting } = world({ isEnding: true });
  await deleting;
  expect(done).toEqual(['mark', 'erase', 'purge', 'remove', 'close']);
});
