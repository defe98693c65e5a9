import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { newEntry } from '../catalog/catalog.suite.ts';
import { openRedisFrontier, type RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openStore } from '../redis/store.ts';
import { createOwnCrawls } from './own-crawls.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const clock = systemClock();

async function openFrontier(): Promise<RedisFrontier> {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock });
  const frontier = await openRedisFrontier({ store, clock, groups: 16 });
  onTestFinished(() => frontier.close());
  return frontier;
}

it('leaves the duty of erasing free for the next crawl and for other coordinators, also after an error', async () => {
  const [frontier, other] = [await openFrontier(), await openFrontier()];
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-erase-in-store-'));
  mkdirSync(join(folder, 'crawls'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let isStuck = false;
  const own = createOwnCrawls({
    folder,
    clock,
    frontier,
    close: () => Promise.resolve(),
    objectsOf: async () => undefined,
    forget: () => (isStuck ? Promise.reject(new Error('no room')) : Promise.resolve()),
    changed: () => undefined,
    missed: () => Promise.resolve(),
    stuck: () => undefined,
    gone: () => undefined,
    failed: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => own.stop());
  const isFree = async () => {
    const answer = await other.claim('erase-crawls', 60_000);
    await other.release('erase-crawls');
    return answer;
  };
  for (const name of ['first', 'second']) {
    await frontier.catalog.create(newEntry(name));
    expect(await own.delete(name)).toBe(true);
    expect(await isFree()).toBe(true);
  }
  isStuck = true;
  await frontier.catalog.create(newEntry('third'));
  await expect(own.delete('third')).rejects.toThrow('no room');
  expect(await isFree()).toBe(true);
  isStuck = false;
  expect(await own.delete('third')).toBe(true);
});
