import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { openStore } from '../redis/store.ts';
import { redisRegistry } from '../registry/redis-registry.ts';
import type { Registry } from '../registry/registry.ts';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { createConsumers } from './consumers.ts';

const clock = systemClock();
const servers = redisForFile({ settings: { appendonly: 'no' } });
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
/** A crawl that the test deletes. */
const crawlOf = (nonce: string, id = nonce) => ({
  id: id as CrawlId,
  nonce,
  isDeleted: false,
  async check() {
    if (this.isDeleted) throw new WebfarerError('not-found', 'the crawl was deleted');
  },
});
const [a, b] = [crawlOf('a'), crawlOf(`b:${'x'.repeat(300)}`)];

/** Each opens what another process of the same coordinator, or another coordinator, would. */
const stores: Record<string, () => Promise<() => Promise<Registry>>> = {
  SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'webfarer-consumers-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'registry.db');
    return Promise.resolve(() => Promise.resolve(openSqliteRegistry({ path, clock })));
  },
  async Redis() {
    const { url } = await servers();
    return async () => {
      const store = await openStore({ url, replicas: 0, clock });
      ends.push(() => store.close());
      return redisRegistry(store);
    };
  },
};

it.each(Object.entries(stores))(
  'positions are the same for everyone and after a restart: %s',
  async (_, make) => {
    const open = await make();
    const registry = await open();
    ends.push(() => registry.close());
    const consumers = createConsumers(registry, clock);
    expect(await consumers.get(a, 'one')).toBeUndefined();
    await consumers.acknowledge(a, 'one', 't1');
    await consumers.acknowledge(a, 'two', 't2');
    await consumers.acknowledge(b, 'one', 't3');
    expect((await consumers.acknowledge(a, 'one', 't4')).token).toBe('t4');
    const again = await open();
    ends.push(() => again.close());
    const others = createConsumers(again, clock);
    expect((await others.list(a)).map(({ name, token }) => `${name} ${token}`)).toEqual(['one t4', 'two t2']);
    expect((await others.list(b)).map(({ name, token }) => `${name} ${token}`)).toEqual(['one t3']);
    // Both write: the last one stands, and none is refused.
    await Promise.all(
      Array.from({ length: 4 }, (_one, n) => (n % 2 ? consumers : others).acknowledge(a, 'one', `w${n}`)),
    );
    expect((await consumers.get(a, 'one'))?.token).toMatch(/^w\d$/);
    expect(await others.remove(a, 'one')).toBe(true);
    expect(await consumers.remove(a, 'one')).toBe(false);
    expect((await consumers.list(a)).map(({ name }) => name)).toEqual(['two']);
  },
);

it.each(Object.entries(stores))(
  'a deleted crawl leaves none behind, and its successor keeps its own: %s',
  async (_, make) => {
    const registry = await (await make())();
    ends.push(() => registry.close());
    const consumers = createConsumers(registry, clock);
    const [gone, young] = [crawlOf('nonce-1', 'shop'), crawlOf('nonce-2', 'shop')];
    for (const name of ['one', 'two']) await consumers.acknowledge(gone, name, 't');
    gone.isDeleted = true;
    await consumers.acknowledge(young, 'one', 'later');
    await consumers.forget(gone);
    // One that was asked before the deletion and writes after it.
    await expect(consumers.acknowledge(gone, 'late', 't')).rejects.toMatchObject({ code: 'not-found' });
    const left = await registry.list('consumer', { after: '', limit: 9 });
    expect(left.docs.filter(({ value }) => (value as { crawl: string }).crawl === 'shop')).toHaveLength(1);
    expect(await consumers.get(young, 'one')).toMatchObject({ token: 'later' });
  },
);

it('a crawl has a bounded number of consumers', async () => {
  const registry = await (await (stores['SQLite'] as () => Promise<() => Promise<Registry>>)())();
  ends.push(() => registry.close());
  const consumers = createConsumers(registry, clock);
  for (let n = 0; n < 100; n++) await consumers.acknowledge(a, `c${n}`, 't');
  await expect(consumers.acknowledge(a, 'more', 't')).rejects.toMatchObject({ code: 'usage' });
  await consumers.acknowledge(a, 'c7', 'again');
  expect(await consumers.list(a)).toHaveLength(100);
});
