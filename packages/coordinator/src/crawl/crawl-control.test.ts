import type { Clock, CrawlId, CrawlState, WorkerId } from '@webfarer/protocol';
import { expect, onTestFinished, test } from 'vitest';
import type { CrawlTotals, Frontier } from '../frontier/frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { openSeeded, settings } from '../frontier/suite/world.fixture.ts';
import { createCrawlControl, type CrawlControlOptions } from './crawl-control.ts';
import type { CrawlProgress } from './crawl-progress.ts';

const crawl = 'c' as CrawlId;

/** The control of a crawl that nothing else is wanted of. */
function controlOf(
  options: Pick<CrawlControlOptions, 'clock' | 'progress'> &
    Partial<Omit<CrawlControlOptions, 'frontier'>> & { frontier: Partial<Frontier> },
) {
  return createCrawlControl({
    crawl,
    wishes: () => ({ known: undefined, catchUp: () => Promise.resolve() }),
    isSweeping: () => false,
    shared: true,
    previous: undefined,
    giveBack: () => undefined,
    stirred: () => undefined,
    ...options,
    frontier: options.frontier as Frontier,
  });
}

test('what limited a crawl is remembered when a look meets a request at the limit', async () => {
  const stored = Promise.withResolvers<void>();
  let state: CrawlState = 'running';
  const frontier: Partial<Frontier> = {
    lease: () => Promise.resolve({ leases: [], nextDueMs: null, limited: [{ crawl, by: 'pages' }] }),
    balance: () => Promise.resolve({ known: 1, queued: 1, leased: 0, done: 0, failed: 0, refused: 0 }),
    state: () => Promise.resolve('limited'),
    finish: () => Promise.resolve(false),
    limit: () => stored.promise.then(() => 'pages' as const),
  };
  const progress: Partial<CrawlProgress> = {
    get state() {
      return state;
    },
    setState(next) {
      state = next;
    },
  };
  const control = controlOf({
    frontier,
    clock: { now: () => 0, sleep: () => Promise.resolve() } satisfies Clock,
    progress: progress as CrawlProgress,
    shared: false,
  });
  const asked = control.link.lease({ worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 1 });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  const looked = control.look();
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  stored.resolve();
  await Promise.all([asked, looked]);
  expect([state, control.limitedBy]).toEqual(['limited', 'pages']);
});

test('its time is over only by what is wanted now: not where it was resumed with more of it elsewhere', async () => {
  const clock = testClock();
  const frontier = openSqliteFrontier({ path: ':memory:', clock });
  onTestFinished(() => frontier.close());
  await openSeeded(frontier, settings);
  const id = settings.id as CrawlId;
  let [known, state]: [number, CrawlState] = [1, 'running'];
  const given: string[] = [];
  await frontier.setState(id, 'running', 5);
  await frontier.offer(id, [{ url: 'http://a.test/', kind: 'page', depth: 0, cost: 0, hops: 0 } as never]);
  const control = controlOf({
    wishes: () => ({ known, catchUp: () => Promise.resolve(void (known = 5)) }),
    isSweeping: () => true,
    crawl: id,
    frontier,
    clock,
    progress: {
      get state() {
        return state;
      },
      setState(next: CrawlState) {
        state = next;
      },
      // By the job that was in force before.
      overTime: () => Promise.resolve(true),
    } as CrawlProgress,
    giveBack: () => given.push('all'),
  });
  await control.look();
  expect([await frontier.state(id), state, given]).toEqual(['running', 'running', []]);
  clock.advance(1_000);
  await control.look();
  expect([await frontier.state(id), state, given]).toEqual(['limited', 'limited', ['all']]);
});

/** A crawl that is paused here, while others have resumed it and it has ended before this process looked. */
function pausedHere(states: CrawlState[]) {
  let state: CrawlState = 'paused';
  const asked = Promise.withResolvers<void>();
  const frontier: Partial<Frontier> = {
    state: async () => {
      asked.resolve();
      await Promise.resolve();
      return states.shift() ?? 'finished';
    },
    setState: (_, next) => Promise.resolve(next),
    finish: () => Promise.resolve(true),
    totals: () => Promise.resolve({} as CrawlTotals),
    balance: () => Promise.resolve({ known: 1, queued: 1, leased: 0, done: 0, failed: 0, refused: 0 }),
    limit: () => Promise.resolve('pages'),
  };
  const clock = testClock();
  const control = controlOf({
    isSweeping: () => states[0] === 'limited',
    frontier,
    clock,
    progress: {
      get state() {
        return state;
      },
      setState(next: CrawlState) {
        state = next;
      },
      overBudget: () => undefined,
      overTime: () => Promise.resolve(false),
    } as unknown as CrawlProgress,
  });
  return { control, asked: asked.promise, state: () => state };
}

test('a crawl that was resumed and ended elsewhere before anybody looked here has ended here too', async () => {
  const finished = pausedHere(['finished']);
  await finished.control.look();
  expect(finished.state()).toBe('finished');
  const limited = pausedHere(['limited', 'limited']);
  await limited.control.look();
  expect([limited.state(), limited.control.limitedBy]).toEqual(['limited', 'pages']);
});

test('a crawl that is paused while a look reads that it has ended stays paused', async () => {
  const { control, asked, state } = pausedHere(['finished']);
  const looked = control.look();
  await asked;
  await Promise.all([control.setState('paused', 7), looked]);
  expect(state()).toBe('paused');
});
