import {
  listedCountsKey,
  type ListedCrawl,
  listedCrawlKey,
  type StreamTopicInput,
} from '@webfarer/protocol/api';
import { crawlStates } from '@webfarer/protocol/crawl';
import { expect, it } from 'vitest';
import type { Feed } from '../api/live.ts';
import { type LiveDocuments, nothingYet } from '../api/live-documents.ts';
import { openCrawlList, partSize, statesOf } from './crawl-parts.ts';

/** A list on a coordinator; parts of it are told when a test says so. */
function listOf(many: number) {
  const crawls: ListedCrawl[] = Array.from({ length: many }, (_, n) => ({
    id: `c${n}`,
    name: `crawl ${n}`,
    version: 1,
    createdAtMs: 1_000_000 - n,
    tags: [],
    wanted: 'finished',
  }));
  const followed = new Map<number, { state: LiveDocuments; looking: Set<() => void> }>();
  function feed(topic: StreamTopicInput): Feed {
    const { offset = 0 } = topic as { offset?: number };
    const mine = { state: nothingYet, looking: new Set<() => void>() };
    return {
      now: () => mine.state,
      problem: () => undefined,
      subscribe(call) {
        mine.looking.add(call);
        followed.set(offset / partSize, mine);
        return () => {
          mine.looking.delete(call);
          if (mine.looking.size === 0) followed.delete(offset / partSize);
        };
      },
    };
  }
  function tell(part: number): void {
    const one = followed.get(part);
    if (!one) throw new Error(`nobody follows part ${part}`);
    const counts = { all: crawls.length, found: crawls.length, byState: {} };
    // The order of a frame is that of its keys.
    const shown = crawls.slice(part * partSize, (part + 1) * partSize).reverse();
    const documents = new Map<string, unknown>([
      ...shown.map((crawl) => [listedCrawlKey(crawl.id), crawl] as const),
      [listedCountsKey, counts],
    ]);
    one.state = { documents, isWhole: true, events: [] };
    for (const call of one.looking) call();
  }
  const list = openCrawlList({ feed, search: { states: [], search: '' } });
  return { list, crawls, tell, parts: () => [...followed.keys()].toSorted((a, b) => a - b) };
}

it('finds a crawl in any state by one of the filters', () => {
  const { all, ...some } = statesOf;
  expect(all).toEqual([]);
  expect(Object.values(some).flat().toSorted()).toEqual([...crawlStates].toSorted());
});

it('follows the parts in sight alone, and shows each crawl at its place', () => {
  const { list, tell, parts } = listOf(1_000);
  const end = list.subscribe(() => undefined);
  list.show(0, 20);
  expect([parts(), list.state().counts]).toEqual([[0], undefined]);
  tell(0);
  expect(parts()).toEqual([0, 1]);
  expect(list.state().counts?.found).toBe(1_000);
  expect([0, 59, 60].map((n) => list.state().at(n)?.id)).toEqual(['c0', 'c59', undefined]);
  list.show(40, 62);
  expect(parts()).toEqual([0, 1, 2]);
  tell(1);
  expect([59, 60, 119].map((n) => list.state().at(n)?.id)).toEqual(['c59', 'c60', 'c119']);
  // The end of the list is one jump away, and what was seen before is remembered.
  list.show(960, 999);
  expect(parts()).toEqual([14, 15, 16]);
  expect([list.state().at(999), list.state().at(30)?.id]).toEqual([undefined, 'c30']);
  tell(16);
  expect(list.state().at(999)?.id).toBe('c999');
  end();
  expect(parts()).toEqual([]);
});

it('follows what comes into sight when the list shrinks or grows', () => {
  const { list, crawls, tell, parts } = listOf(10);
  list.subscribe(() => undefined);
  list.show(0, 80);
  expect(parts()).toEqual([0]);
  tell(0);
  expect(parts()).toEqual([0]);
  const [one] = crawls as [ListedCrawl];
  crawls.push(...Array.from({ length: 60 }, (_, n) => ({ ...one, id: `d${n}`, createdAtMs: 500 - n })));
  tell(0);
  expect(parts()).toEqual([0, 1]);
  crawls.splice(5);
  tell(0);
  expect([parts(), list.state().counts?.found, list.state().at(5)]).toEqual([[0], 5, undefined]);
});
