import { expect, it } from 'vitest';
import { createCrawlParts, type CrawlPart } from './crawl-parts.ts';
import type { Documents } from './documents.ts';

const crawl = (id: string, wanted: string, createdAtMs: number, more = {}) =>
  [
    id,
    { id, name: id, nonce: id, version: 1, createdAtMs, tags: [], wanted, team: 'default', ...more },
  ] as const;
const whole: CrawlPart = { states: [], search: '', offset: 0, limit: 100 };

function of(first: Documents) {
  let documents = first;
  const parts = createCrawlParts(() => Promise.resolve(documents));
  return {
    set: (next: Documents) => void (documents = next),
    reader: (part: Partial<CrawlPart>, team?: string) => parts.part({ ...whole, ...part }, team),
    ids: async (part: Partial<CrawlPart>, team?: string) =>
      [...(await parts.part({ ...whole, ...part }, team)()).keys()].slice(1),
    counts: async (part: Partial<CrawlPart>, team?: string) =>
      (await parts.part({ ...whole, ...part }, team)()).get('counts'),
  };
}

const some = new Map([
  crawl('old', 'finished', 1),
  crawl('held', 'paused', 2),
  crawl('runs', 'running', 3, { tags: ['Weekly'] }),
  crawl('new', 'limited', 9),
  crawl('runs-too', 'running', 5, { team: 'red' }),
  crawl('counts', 'stopped', 4, { team: 'red', tags: ['weekly', 'x'] }),
]);

it('shows what runs first, then the newest, a part at a time, and counts the whole', async () => {
  const { ids, counts } = of(some);
  const all = ['runs-too', 'runs', 'held', 'new', 'counts', 'old'].map((id) => `crawl ${id}`);
  expect(await ids({})).toEqual(all);
  expect(await ids({ offset: 2, limit: 2 })).toEqual(all.slice(2, 4));
  expect(await ids({ offset: 6 })).toEqual([]);
  expect(await counts({ offset: 6, limit: 1 })).toEqual({
    all: 6,
    found: 6,
    byState: { running: 2, paused: 1, finished: 1, limited: 1, stopped: 1 },
  });
});

it('searches names and tags, and states, and still says how many there are in all', async () => {
  const { ids, counts } = of(some);
  expect(await ids({ search: ' WEEKLY ' })).toEqual(['crawl runs', 'crawl counts']);
  expect(await ids({ search: 'runs', states: ['running'] })).toEqual(['crawl runs-too', 'crawl runs']);
  expect(await ids({ states: ['finished', 'stopped', 'limited'] })).toEqual([
    'crawl new',
    'crawl counts',
    'crawl old',
  ]);
  expect(await counts({ search: 'weekly', limit: 1 })).toMatchObject({ all: 6, found: 2 });
});

it('shows and counts for a team what is its own', async () => {
  const { ids, counts } = of(some);
  expect(await ids({}, 'red')).toEqual(['crawl runs-too', 'crawl counts']);
  expect(await counts({ search: 'weekly' }, 'red')).toEqual({
    all: 2,
    found: 1,
    byState: { running: 1, stopped: 1 },
  });
});

it('is the same object until the list changes, and the crawls in it are those of the list', async () => {
  const { reader, set } = of(some);
  const read = reader({ limit: 1 });
  const first = await read();
  expect(await read()).toBe(first);
  expect(first.get('crawl runs-too')).toBe(some.get('runs-too'));
  set(new Map([...some, crawl('another', 'running', 99)]));
  expect([...(await read()).keys()]).toEqual(['counts', 'crawl another']);
});
