import { type CrawlId, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createScope } from '@webfarer/protocol/url';
import { expect, it, vi } from 'vitest';
import type { ScopeSweep } from '../catalog/entry-edits.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, settings } from '../frontier/suite/world.fixture.ts';
import { createScopeSweep } from './scope-sweep.ts';

const seed = 'https://a.example/' as Url;
const scopeOf = (exclude: string[]) =>
  createScope(resolveJob({ name: 'x', seeds: [seed], contact: 'me@a.example', scope: { exclude } }), [seed]);

async function stage() {
  const clock = testClock();
  const frontier = openSqliteFrontier({ path: ':memory:', clock });
  await openSeeded(frontier, { ...settings, id: crawlA });
  await frontier.offer(crawlA as CrawlId, [
    offerOf(seed),
    ...['a/1', 'a/2', 'b/1'].map((path) => offerOf(`${seed}${path}`, { depth: 1 })),
  ]);
  let scope = scopeOf([]);
  let pending: number | undefined;
  let edit = 0;
  const swept: [number, Omit<ScopeSweep, 'state'>][] = [];
  const faults: unknown[] = [];
  const others = { doIt: false, freed: 0 };
  const trouble = { onRetry: false };
  const sweep = createScopeSweep({
    crawl: crawlA,
    frontier: {
      drop: frontier.drop,
      totals: frontier.totals,
      async retry(...step) {
        if (!trouble.onRetry) return await frontier.retry(...step);
        trouble.onRetry = false;
        throw new WebfarerError('storage', 'the store does not answer');
      },
    },
    scope: () => scope,
    entry: {
      isListed: true,
      pendingSweep: () => Promise.resolve(pending),
      swept(seq, done) {
        swept.push([seq, done]);
        if (pending === seq) pending = undefined;
        return Promise.resolve();
      },
    },
    clock: { ...clock, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
    duty: {
      claim: () => Promise.resolve(!others.doIt),
      release: () => Promise.resolve(void others.freed++),
    },
    queued: () => undefined,
    failed: (error) => faults.push(error),
  });
  return {
    frontier,
    sweep,
    swept,
    faults,
    others,
    trouble,
    rescope(exclude: string[]) {
      scope = scopeOf(exclude);
      pending = ++edit;
      sweep.kick({ isRescoped: true });
    },
  };
}

it('refuses what is queued and out of scope, and queues it again when it is inside', async () => {
  const { frontier, sweep, swept, faults, rescope } = await stage();
  rescope(['/a/**']);
  expect(sweep.isBusy).toBe(true);
  await vi.waitFor(() => expect(sweep.isBusy).toBe(false));
  expect(swept).toEqual([[1, { dropped: 2, restored: 0, linksNotKnown: {} }]]);
  expect(await frontier.balance(crawlA)).toMatchObject({ known: 4, queued: 2, refused: 2 });
  expect((await frontier.totals(crawlA)).byReason).toEqual({ scope: 2 });
  rescope(['/b/**']);
  await vi.waitFor(() => expect(swept).toHaveLength(2));
  expect(swept[1]).toEqual([2, { dropped: 1, restored: 2, linksNotKnown: {} }]);
  await sweep.stop();
  expect(faults).toEqual([]);
  await frontier.close();
});

it('leaves the seeds alone, whatever the scope', async () => {
  const { frontier, sweep, rescope } = await stage();
  rescope(['/**']);
  await vi.waitFor(() => expect(sweep.isBusy).toBe(false));
  expect(await frontier.balance(crawlA)).toMatchObject({ queued: 1, refused: 3 });
  await sweep.stop();
  await frontier.close();
});

it('waits for another coordinator that does it, and takes over where that does not', async () => {
  const { frontier, sweep, swept, others, rescope } = await stage();
  others.doIt = true;
  rescope(['/a/**']);
  // Time for much more than a sweep of four URLs.
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([swept, sweep.isBusy, others.freed]).toEqual([[], true, 0]);
  others.doIt = false;
  await vi.waitFor(() => expect(swept).toHaveLength(1));
  expect(await frontier.balance(crawlA)).toMatchObject({ queued: 2, refused: 2 });
  await sweep.stop();
  await frontier.close();
});

it('counts what it moved before a trouble of the store', async () => {
  const { frontier, sweep, swept, faults, others, trouble, rescope } = await stage();
  trouble.onRetry = true;
  rescope(['/a/**']);
  await vi.waitFor(() => expect(sweep.isBusy).toBe(false));
  expect(trouble.onRetry).toBe(false);
  // Others could have done it after the trouble: the claim was given back then as well.
  expect(others.freed).toBe(2);
  expect(swept).toEqual([[1, { dropped: 2, restored: 0, linksNotKnown: {} }]]);
  rescope([]);
  await vi.waitFor(() => expect(swept).toHaveLength(2));
  expect(swept[1]).toEqual([2, { dropped: 0, restored: 2, linksNotKnown: {} }]);
  await sweep.stop();
  expect(faults).toEqual([]);
  await frontier.close();
});
