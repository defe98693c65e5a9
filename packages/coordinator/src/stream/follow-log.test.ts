import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { followLog } from './follow-log.ts';
import { memoryHome } from './home.fixture.ts';
import { createLogTails } from './log-tail.ts';
import { memoryResults } from './memory-results.fixture.ts';
import { createPageGates } from './page-gate.ts';

const clock = systemClock();

function follow(home: ReturnType<typeof memoryHome>, after?: string, from: 'start' | 'now' = 'start') {
  const { signal } = new AbortController();
  const how = { after, signal, heartbeatMs: 20, team: undefined, gate: createPageGates().of('reader') };
  const what = { home, kinds: ['record'], filter: {}, from, maxOutcomes: 2 } as const;
  return followLog({ ...how, ...what, tails: createLogTails(clock), clock });
}
type Following = ReturnType<typeof follow>;

async function next(source: Following) {
  const { value } = await source.next();
  if (!value) throw new Error('it has ended');
  return value;
}
/** Passes over bookmarks that only say that nothing is new. */
async function news(source: Following) {
  for (;;) {
    const frame = await next(source);
    if (frame.type !== 'bookmark' || frame.over !== undefined) return frame;
  }
}
const urlsIn = (frame: Awaited<ReturnType<typeof next>>) =>
  frame.type === 'entries' ? frame.entries.map(({ url }) => url) : [];

it('tells everything, then what comes, and continues behind any frame', async () => {
  const results = memoryResults();
  const home = memoryHome(results);
  const urls = [results.settle(0), results.settle(0), results.settle(0)];
  const source = follow(home);
  expect(await next(source)).toMatchObject({ type: 'snapshot', why: 'first', set: {} });
  const first = await next(source);
  expect(urlsIn(first)).toEqual(urls.slice(0, 2));
  const second = await next(source);
  expect(urlsIn(second)).toEqual(urls.slice(2));
  expect(await next(source)).toEqual({ type: 'bookmark', token: second.token });
  const url = results.settle(1);
  expect(urlsIn(await news(source))).toEqual([url]);
  await source.return();
  const again = follow(home, first.token);
  expect(await next(again)).toEqual({ type: 'resumed', token: first.token });
  expect(new Set(urlsIn(await next(again)))).toEqual(new Set([urls[2], url]));
  await again.return();
  const late = follow(home, undefined, 'now');
  expect(await next(late)).toMatchObject({ type: 'snapshot', why: 'first' });
  const newest = results.settle(1);
  expect(urlsIn(await news(late))).toEqual([newest]);
  await late.return();
});

it('says that a crawl is over only once everything was sent', async () => {
  const results = memoryResults();
  const home = memoryHome(results);
  results.settle(0);
  const source = follow(home);
  await next(source);
  expect(urlsIn(await next(source))).toHaveLength(1);
  expect(await next(source)).toMatchObject({ type: 'bookmark' });
  // Settled elsewhere: nobody here is told, and the tail looks seldom.
  const last = results.settleSilently(0);
  home.is = 'finished';
  expect(urlsIn(await news(source))).toEqual([last]);
  expect(await news(source)).toMatchObject({ type: 'bookmark', over: 'finished' });
  // A retry takes it up again.
  home.is = 'running';
  const url = results.settle(0);
  expect(urlsIn(await news(source))).toEqual([url]);
  home.is = 'limited';
  expect(await news(source)).toMatchObject({ type: 'bookmark', over: 'limited' });
  await source.return();
});

it('begins anew where the crawl was replaced, while it follows and behind an old token', async () => {
  const results = memoryResults();
  const home = memoryHome(results);
  results.settle(0);
  const source = follow(home);
  await next(source);
  const { token } = await next(source);
  results.replace();
  const url = results.settle(0);
  expect(await news(source)).toMatchObject({ type: 'snapshot', why: 'other-generation' });
  expect(urlsIn(await news(source))).toEqual([url]);
  await source.return();
  const again = follow(home, token);
  expect(await next(again)).toMatchObject({ type: 'snapshot', why: 'other-generation' });
  expect(urlsIn(await next(again))).toEqual([url]);
  await again.return();
  // A reader that has read nothing yet has nothing to forget.
  const fresh = follow(home, 'start');
  expect(await next(fresh)).toEqual({ type: 'resumed', token: 'start' });
  await fresh.return();
});
