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
  /** Ends the wait between two looks at what could not be opened. */
  const sleeps: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push(resolve);
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
    entry: (name) => Promise.resolve(catalog.get(name)),
    open: () => [...opened],
    opened: () => Promise.resolve(),
    follow({ name, wanted }) {
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
    failed: ({ name }, error) => failed.push(`${name}: ${(error as Error).message}`),
    faulty: (error) => expect.fail(String(error)),
  });
  return { catalog, opened, sleeps, told, failed, faults, keeper, most: () => mostAtOnce };
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

it('one that cannot be opened holds up no other, and is tried again only after trouble with the store', async () => {
  const all = stage(['a', 'bad', 'busy', 'z'].map((name) => entryOf(name, 'running')));
  all.faults.set('bad', new Error('spoilt'));
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
