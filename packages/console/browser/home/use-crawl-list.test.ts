import { expect, it } from 'vitest';
import { crawlsIn, type ListedCrawl } from './use-crawl-list.ts';

const crawl = (name: string, wanted: string, createdAtMs: number): ListedCrawl => ({
  id: name,
  name,
  version: 1,
  createdAtMs,
  tags: [],
  wanted,
});

it('shows the newest first, and with a filter those in the states that the API would find', () => {
  const all = [
    crawl('a', 'running', 1),
    crawl('b', 'finished', 5),
    crawl('c', 'limited', 3),
    crawl('d', 'stopped', 4),
    crawl('e', 'paused', 2),
  ];
  const names = (show: Parameters<typeof crawlsIn>[1]) => crawlsIn(all, show).map(({ name }) => name);
  expect(names('all')).toEqual(['b', 'd', 'c', 'e', 'a']);
  expect(names('over')).toEqual(['b', 'd', 'c']);
  expect(names('running')).toEqual(['a']);
  expect(names('paused')).toEqual(['e']);
});
