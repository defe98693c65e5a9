import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deletedKey } from '../../archive/objects/layout.ts';
import { openObjectStore } from '../../objects/object-place.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { captureOf } from '../capture.fixture.ts';
import { warcSaver } from '../warc/warc-saver.ts';
import { markObjectsDeleted, purgeObjects } from './delete-objects.ts';
import { objectUploads } from './object-uploads.ts';
import { tidyObjects } from './upkeep.ts';

let root: string;
let store: ObjectStore;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'webfarer-delete-objects-'));
  store = await openObjectStore({ address: `file://${root}/store` });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list('')) found.push(key);
  return found;
}

it('leaves nothing of a deleted crawl but the mark, also where a worker completes a file later', async () => {
  const clock = systemClock();
  const saver = warcSaver({
    folder: join(root, 'w1'),
    name: 'w1',
    clock,
    software: 'webfarer/test',
    uploads: objectUploads({ store, clock, scratch: tmpdir(), gatherMs: 0 }),
  });
  await saver.start();
  await saver.save(captureOf({ url: 'http://a.test/1', body: 'one' }));
  await saver.sync();
  const { key, id } = await store.beginUpload('archive/x.warc.gz');
  expect(await keys()).toHaveLength(1);
  await markObjectsDeleted(store, clock.now());
  expect(await purgeObjects(store)).toBe(1);
  await store.abortUpload({ key, id });
  // The worker was away when the crawl was deleted.
  await saver.save(captureOf({ url: 'http://a.test/2', body: 'two' }));
  await saver.stop();
  expect((await keys()).filter((one) => !one.startsWith('chunks/'))).toEqual([deletedKey]);
  await tidyObjects({ store, nowMs: Date.now(), graceMs: 0, scratch: tmpdir() });
  expect(await keys()).toEqual([deletedKey]);
});
