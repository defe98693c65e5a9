import { afterAll, describe, expect, it } from 'vitest';
import { hasS3, s3ForFile } from '../../../../test/objects/for-file.ts';
import { openObjectStore } from './object-place.ts';
import type { ObjectStore } from './object-store.ts';
import { objectStoreSuite } from './object-store.suite.ts';

const server = s3ForFile();
const stores: ObjectStore[] = [];
afterAll(() => {
  for (const store of stores.splice(0)) store.close();
});

async function open(prefix: string, options = {}): Promise<ObjectStore> {
  const store = await openObjectStore((await server()).place(prefix, options));
  stores.push(store);
  return store;
}

describe.skipIf(!hasS3)('a bucket of an S3 server as object store', { timeout: 120_000 }, () => {
  objectStoreSuite(open);

  it('says what is wrong with a place, and what a person can do', async () => {
    const bucket = await openObjectStore({
      ...(await server()).place('x'),
      address: 's3://no-such-bucket/x',
    });
    stores.push(bucket);
    await expect(bucket.put('k', Buffer.from('x'))).rejects.toMatchObject({
      code: 'storage',
      message: 'cannot write s3://no-such-bucket/x/k: the bucket does not exist',
      next: expect.stringContaining('credentials'),
    });
    const silent = await open('x', { endpoint: 'http://127.0.0.1:1' });
    await expect(silent.put('k', Buffer.from('x'))).rejects.toMatchObject({
      code: 'storage',
      message: 'cannot write s3://archive/x/k: it is unreachable (ECONNREFUSED)',
    });
    await expect(openObjectStore({ address: 'ftp://x' })).rejects.toMatchObject({ code: 'usage' });
  });
});
