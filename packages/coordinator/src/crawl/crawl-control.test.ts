import type { Clock, CrawlId, CrawlState, WorkerId } from '@webfarer/protocol';
import { expect, onTestFinished, test } from 'vitest';
import type { Frontier } from '../frontier/frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { openSeeded, settings } from '../frontier/suite/world.fixture.ts';
import { createCrawlControl } from './crawl-control.ts';
import type { CrawlProgress } from './crawl-progress.ts';

const crawl = 'c' as CrawlId;

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
  const control = createCrawlControl({
    wishes: () => ({ known: undefined, catchUp: () => Promise.resolve() }),
    isSweeping: () => false,
    crawl,
    frontier: frontier as Frontier,
    clock: { now: () => 0, sleep: () => Promise.resolve() } satisfies Clock,
    progress: progress as CrawlProgress,
    shared: false,
    previous: undefined,
    giveBack: () => undefined,
    stirred: () => undefined,
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
  const control = createCrawlControl({
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
    shared: true,
    previous: undefined,
    giveBack: () => given.push('all'),
    stirred: () => undefined,
  });
  await control.look();
  expect([await frontier.state(id), state, given]).toEqual(['running', 'running', []]);
  clock.advance(1_000);
  await control.look();
  expect([await frontier.state(id), state, given]).toEqual(['limited', 'limited', ['all']]);
});
