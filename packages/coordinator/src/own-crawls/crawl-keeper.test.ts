import { type Clock, WebfarerError } from '@webfarer/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import type { CatalogEntry, EntryState } from '../catalog/catalog.ts';
import { newEntry } from '../catalog/catalog.suite.ts';
import { noEdits } from '../catalog/entry-edits.ts';
import { type CrawlKeeper, createCrawlKeeper } from './crawl-keeper.ts';

let keeper: CrawlKeeper | undefined;
afterEach(async () => await keeper?.stop());

function entryOf(name: string, wanted: EntryState, more: Partial<CatalogEntry> = {}): CatalogEntry {
  return { ...newEntry(name, { wanted }), version: 1, edits: noEdits, ...more };
}

/** A catalog and a coordinator with these crawls open. */
function stage(entries: CatalogEntry[], isOpen: string[] = []) {
  const catalog = new Map(entries.map((entry) => [entry.name, entry]));
  const opened = new Set(isOpen);
  const told: string[] = [];
  const failed: string[] = [];
  const recovered: string[] = [];
  const read: string[] = [];
  let nowMs = 0;
  /** Ends the wait between two looks at what could not be opened. */
  const sleeps: (() => void)[] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push(() => {
          nowMs += ms;
          resolve();
        });
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  };
  let atOnce = 0;
  let mostAtOnce = 0;
  const faults = new Map<string, Error>();
  keeper = createCrawlKeeper({
    clock,
    wanted: () =>
      Promise.resolve(
        [...catalog.values()].filter(({ wanted }) => wanted === 'running' || wanted === 'paused'),
      ),
    entry(name) {
      read.push(name);
      return Promise.resolve(catalog.get(name));
    },
    open: () => [...opened],
    opened: () => Promise.resolve(),
    follow({ name, wanted }) {
      const fault = opened.has(name) ? faults.get(name) : undefined;
      if (fault) return Promise.reject(fault);
      if (opened.has(name)) told.push(`${name} ${wanted}`);
      return Promise.resolve(opened.has(name));
    },
    async takeUp({ name }) {
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      await new Promise(setImmediate);
      atOnce--;
      const fault = faults.get(name);
      if (fault) throw fault;
      opened.add(name);
    },
    recovered: ({ name }) => recovered.push(name),
    failed: ({ name }, error) => failed.push(`${name}: ${(error as Error).message}`),
    faulty: (error) => expect.fail(String(error)),
  });
  return { catalog, opened, sleeps, told, failed, recovered, read, faults, keeper, most: () => mostAtOnce };
}

async function started({ keeper: one }: ReturnType<typeof stage>): Promise<void> {
  one.start();
  await one.missed();
  await one.settled();
}

it('takes up what should be open, few at a time, and leaves the rest alone', async () => {
  const many = Array.from({ length: 50 }, (_, n) => entryOf(`c${n}`, 'running'));
  const others = (['stopped', 'finished', 'limited'] as const).map((state) => entryOf(state, state));
  const own = entryOf('own', 'running', { ownCode: true });
  const all = stage([...many, entryOf('p', 'paused'), ...others, own]);
  await started(all);
  expect(all.opened.size).toBe(51);
  expect([...all.opened]).not.toContain('own');
  expect(all.most()).toBeGreaterThan(1);
  expect(all.most()).toBeLessThanOrEqual(8);
});

it('one that cannot be opened holds up no other, and is tried again where a change of the job is not what it takes', async () => {
  const all = stage(['a', 'bad', 'busy', 'z'].map((name) => entryOf(name, 'running')));
  all.faults.set('bad', new WebfarerError('job-invalid', 'spoilt'));
  all.faults.set('busy', new WebfarerError('store-silent', 'no answer'));
  await started(all);
  expect([...all.opened]).toEqual(['a', 'z']);
  expect(all.failed).toEqual(['bad: spoilt', 'busy: no answer']);
  all.faults.clear();
  await vi.waitFor(() => expect(all.sleeps).toHaveLength(1));
  all.sleeps.shift()?.();
  await vi.waitFor(() => expect([...all.opened]).toEqual(['a', 'z', 'busy']));
});

it('tells open crawls of every change, the latest of each last', async () => {
  const all = stage([entryOf('a', 'running')], ['a']);
  await started(all);
  all.keeper.changed([entryOf('a', 'paused'), entryOf('b', 'deleted')]);
  all.keeper.changed([entryOf('a', 'running')]);
  all.keeper.changed([entryOf('a', 'stopped')]);
  await all.keeper.settled();
  expect(all.told).toEqual(['a running', 'a paused', 'a stopped']);
  expect([...all.opened]).toEqual(['a']);
});

it('does not follow an entry that was read before the one it follows already', async () => {
  const all = stage([entryOf('a', 'running')], ['a']);
  await started(all);
  all.keeper.changed([entryOf('a', 'paused', { version: 3 })]);
  // At work on that one; these wait.
  all.keeper.changed([entryOf('a', 'running', { version: 2 })]);
  all.keeper.changed([entryOf('a', 'running', { version: 5 })]);
  all.keeper.changed([entryOf('a', 'stopped', { version: 4 })]);
  await all.keeper.settled();
  expect(all.told).toEqual(['a running', 'a paused', 'a running']);
});

it('asks about open crawls that are not wanted any more when it has missed what happened', async () => {
  const all = stage([entryOf('a', 'stopped'), entryOf('b', 'running')], ['a']);
  await started(all);
  expect(all.told).toEqual(['a stopped']);
  expect([...all.opened]).toEqual(['a', 'b']);
});

it('does nothing before it is started', async () => {
  const all = stage([entryOf('a', 'running')]);
  all.keeper.changed([entryOf('a', 'running')]);
  await all.keeper.look('a');
  await all.keeper.settled();
  expect([...all.opened]).toEqual([]);
});

it('tries one that cannot be opened again and again, less and less often, and looks after the others', async () => {
  const all = stage(['broken', 'z'].map((name) => entryOf(name, 'running')));
  all.faults.set('broken', new TypeError('a defect'));
  await started(all);
  for (let looks = 1; looks <= 64; looks++) {
    await vi.waitFor(() => expect(all.sleeps).toHaveLength(1));
    all.sleeps.shift()?.();
    await all.keeper.settled();
  }
  // After 5, 10, 20, 40, 80, 160 and 300 s, within 320 s.
  expect(all.failed.length).toBeGreaterThan(5);
  expect(all.failed.length).toBeLessThan(9);
  expect([...all.opened]).toEqual(['z']);
});

it('one that could not be told does not count as failed once it has been, and is left alone from then on', async () => {
  const all = stage([entryOf('a', 'paused'), entryOf('gone', 'running')], ['a']);
  all.faults.set('a', new WebfarerError('store-silent', 'no answer'));
  all.faults.set('gone', new WebfarerError('store-silent', 'no answer'));
  await started(all);
  expect(all.failed.toSorted()).toEqual(['a: no answer', 'gone: no answer']);
  all.faults.clear();
  // Nobody wants it any more.
  all.catalog.set('gone', entryOf('gone', 'stopped'));
  for (let looks = 1; looks <= 8; looks++) {
    await vi.waitFor(() => expect(all.sleeps).toHaveLength(1));
    all.sleeps.shift()?.();
    await all.keeper.settled();
  }
  expect([all.told, all.recovered]).toEqual([['a paused'], ['a']]);
  // Each was read to be tried again, with one question whether it is there.
  expect(all.read.toSorted()).toEqual(['a', 'a', 'gone', 'gone']);
});
