import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createCrawlGates } from './crawl-gates.ts';

const [bad, good] = ['bad', 'good'] as [CrawlId, CrawlId];
const denied = new WebfarerError('object-storage', 'cannot write s3://b/k: access is denied');

function bench({ patienceMs, space = () => true }: { patienceMs?: number; space?: () => boolean } = {}) {
  let nowMs = 0;
  const gaveUp: unknown[] = [];
  const changes: string[] = [];
  const gates = createCrawlGates({
    clock: {
      now: () => nowMs,
      async sleep(ms) {
        nowMs += ms;
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
    worker: { hasSpace: async () => space() },
    patienceMs: () => patienceMs,
    signal: new AbortController().signal,
    changed: (crawl) => void changes.push(`${crawl} ${gates.held().has(crawl)}`),
    gaveUp: (crawl, error) => void gaveUp.push([crawl, error]),
  });
  return { gates, gaveUp, changes, nowMs: () => nowMs };
}

it('holds the crawl that cannot save, until it can, and no other', async () => {
  const { gates, changes } = bench();
  let tries = 0;
  const saved = gates.of(bad).attempt(async () => {
    if (++tries < 4) throw denied;
    return 'saved';
  });
  await expect.poll(() => tries).toBeGreaterThan(0);
  expect(gates.pause).toMatchObject({ cause: 'object-storage', text: denied.message });
  expect(await gates.of(good).attempt(async () => 'at once')).toBe('at once');
  expect([await saved, tries, gates.pause]).toEqual(['saved', 4, undefined]);
  expect(changes).toEqual(['bad true', 'bad false']);
});

it('gives a crawl up once, and lets all that waits of it fail', async () => {
  const { gates, gaveUp } = bench({ patienceMs: 10_000 });
  const write = () => gates.of(bad).attempt(() => Promise.reject(denied));
  const all = await Promise.allSettled([write(), write(), write()]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(gaveUp).toEqual([[bad, denied]]);
  // Until it is opened anew nothing is tried.
  await expect(gates.of(bad).attempt(async () => 'saved')).rejects.toBe(denied);
  expect(await gates.of(good).attempt(async () => 'saved')).toBe('saved');
  gates.forget(bad);
  expect(await gates.of(bad).attempt(async () => 'saved')).toBe('saved');
});

it('blames no crawl while the disk of the worker is full', async () => {
  let isFull = true;
  const { gates, gaveUp, nowMs } = bench({ patienceMs: 10_000, space: () => !isFull });
  const saved = gates.of(bad).attempt(async () => {
    if (isFull) throw new WebfarerError('storage', 'the disk is full');
    return 'saved';
  });
  await expect.poll(nowMs).toBeGreaterThan(60_000);
  isFull = false;
  expect([await saved, gaveUp]).toEqual(['saved', []]);
});

it('lets an error that is not of the storage through', async () => {
  const { gates, changes } = bench({ patienceMs: 10_000 });
  await expect(gates.of(bad).attempt(() => Promise.reject(new TypeError('a saver broke')))).rejects.toThrow(
    'a saver broke',
  );
  expect(changes).toEqual([]);
});

it('names a crawl whose write never ends, and lets the others save', async () => {
  let nowMs = 0;
  const gates = createCrawlGates({
    clock: { now: () => nowMs, sleep: () => Promise.resolve() },
    worker: { hasSpace: async () => true },
    patienceMs: () => 10_000,
    signal: new AbortController().signal,
    changed: () => undefined,
    gaveUp: () => undefined,
  });
  const never = Promise.withResolvers<void>();
  const saved = gates.of(bad).attempt(() => never.promise);
  expect(gates.troubles()).toEqual([]);
  nowMs = 31_000;
  expect(await gates.of(good).attempt(async () => 'at once')).toBe('at once');
  expect(gates.troubles()).toEqual([
    {
      crawl: bad,
      code: 'storage',
      message: expect.stringContaining('has not answered for 31 s, and captures wait: 1'),
    },
  ]);
  never.resolve();
  await saved;
  expect(gates.troubles()).toEqual([]);
});

it('is stuck while a crawl is held, and while a write takes long without an error', async () => {
  const clock = { nowMs: 0 };
  const gates = createCrawlGates({
    clock: { now: () => clock.nowMs, sleep: () => new Promise(() => undefined) },
    worker: { hasSpace: async () => true },
    patienceMs: () => undefined,
    signal: new AbortController().signal,
    changed: () => undefined,
    gaveUp: () => undefined,
  });
  const write = Promise.withResolvers<void>();
  const written = gates.of(good).attempt(() => write.promise);
  clock.nowMs = 1_999;
  expect(gates.isStuck()).toBe(false);
  clock.nowMs = 2_000;
  expect([gates.isStuck(), gates.isSilent(good)]).toEqual([true, false]);
  clock.nowMs = 30_000;
  expect([gates.isSilent(good), gates.isSilent(bad)]).toEqual([true, false]);
  write.resolve();
  await written;
  expect(gates.isStuck()).toBe(false);
  void gates.of(bad).attempt(() => Promise.reject(denied));
  await expect.poll(() => gates.isStuck()).toBe(true);
});
