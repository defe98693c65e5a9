import type { Clock, CrawlId, CrawlState, WorkerId } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import type { Frontier } from '../frontier/frontier.ts';
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
    setState: () => stored.promise.then(() => 'limited' as const),
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
