import type { CrawlId } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { testClock } from '../../frontier/suite/clock.fixture.ts';
import { watchAbandoned } from './abandoned-leases.ts';

const crawl = 'a' as CrawlId;
const job = resolveJob({ name: 'a', seeds: ['https://a.test/'], fetch: { timeout: '20s' } });
/** Three times the time-out. */
const TTL_MS = 60_000;
const none = { out: 0, awaited: 0, urls: 0, unknown: 0 };

/** In a store, unless told otherwise, whose epoch can be changed. */
function world({ isShared = true } = {}) {
  const clock = testClock();
  const now = { epoch: 'e1', othersServe: false };
  const abandoned = watchAbandoned({
    crawl,
    clock,
    job: () => job,
    network: { othersServe: () => now.othersServe },
    shared: isShared ? {} : undefined,
    frontier: { epoch: () => now.epoch },
  });
  return { clock, now, of: abandoned.of };
}

const look = { leased: 50, inFlight: 2 };

it('tells of leases from before this process, until they have run out', () => {
  const { clock, of } = world();
  // Workers are still connecting.
  expect(of(look, none)).toEqual({});
  clock.advance(10_000);
  expect(of(look, none)).toEqual({ abandoned: 50, abandonedForMs: TTL_MS - 10_000 });
  expect(of({ leased: 0, inFlight: 0 }, none)).toEqual({});
  clock.advance(TTL_MS - 10_000);
  expect(of(look, none)).toEqual({});
});

it('tells of them again after the store was restored or failed over', () => {
  const { clock, now, of } = world();
  clock.advance(TTL_MS);
  expect(of(look, none)).toEqual({});
  now.epoch = 'e2';
  expect(of(look, none)).toEqual({});
  clock.advance(6_000);
  expect(of(look, none)).toEqual({ abandoned: 50, abandonedForMs: TTL_MS - 6_000 });
});

it('leaves out what connected workers have, had when the store was asked, or may have brought', () => {
  const { clock, of } = world();
  clock.advance(10_000);
  expect(of(look, { out: 5, awaited: 5, urls: 30, unknown: 1 })).toMatchObject({ abandoned: 10 });
  expect(of(look, { out: 5, awaited: 5, urls: 10, unknown: 0 })).toMatchObject({ abandoned: 10 });
  clock.advance(4_000);
  expect(of(look, { out: 5, awaited: 5, urls: 10, unknown: 0 })).toMatchObject({ abandoned: 40 });
  expect(of(look, { out: 5, awaited: 5, urls: 30, unknown: 3 })).toEqual({});
});

it('says nothing where another coordinator has workers', () => {
  const { clock, now, of } = world();
  clock.advance(10_000);
  now.othersServe = true;
  expect(of(look, none)).toEqual({});
});

it('tells of all that is leased in a folder, at any time, where nobody is connected', () => {
  const { clock, of } = world({ isShared: false });
  clock.advance(TTL_MS);
  expect(of({ leased: 5, inFlight: 0 }, none)).toEqual({ abandoned: 5 });
  expect(of({ leased: 5, inFlight: 1 }, none)).toEqual({});
  expect(of({ leased: 5, inFlight: 0 }, { ...none, awaited: 1 })).toEqual({});
});
