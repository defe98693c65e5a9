import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
      code: 'object-storage',
      message: 'cannot write s3://no-such-bucket/x/k: the bucket does not exist',
      next: expect.stringContaining('credentials'),
    });
    const silent = await open('x', { endpoint: 'http://127.0.0.1:1' });
    await expect(silent.put('k', Buffer.from('x'))).rejects.toMatchObject({
      code: 'object-storage',
      message: 'cannot write s3://archive/x/k: it is unreachable (ECONNREFUSED)',
    });
    await expect(openObjectStore({ address: 'ftp://x' })).rejects.toMatchObject({ code: 'usage' });
  });
});

it('sends nothing to a private address where the place does not allow it', { timeout: 60_000 }, async () => {
  const asked: (string | undefined)[] = [];
  const inside = createServer((request, response) => {
    asked.push(request.headers.authorization);
    request.resume();
    response.end('<x/>');
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'us-east-1' });
  const { port } = inside.address() as AddressInfo;
  const place = { address: 's3://archive/x', endpoint: `http://127.0.0.1:${port}` };
  try {
    for (const endpoint of [place.endpoint, `http://localhost:${port}`]) {
      const store = await openObjectStore({ ...place, endpoint, allowPrivate: false });
      stores.push(store);
      await expect(store.put('k', Buffer.from('x'))).rejects.toMatchObject({
        code: 'object-storage',
        message: expect.stringContaining('is not globally reachable; s3.allowPrivate allows it') as string,
      });
    }
    expect(asked).toEqual([]);
    const open = await openObjectStore({ ...place, allowPrivate: true });
    stores.push(open);
    await open.put('k', Buffer.from('x'));
    expect(asked).toEqual([expect.stringContaining('AWS4-HMAC-SHA256')]);
  } finally {
    inside.closeAllConnections();
    await new Promise((resolve) => inside.close(resolve));
  }
});
