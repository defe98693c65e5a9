import type { CrawlId, WebfarerError } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import { createDiskFloor } from './disk-floor.ts';

const crawlThatAsks = (id: string, minFreeBytes: number) =>
  ({ id: id as CrawlId, job: { limits: { minFreeBytes } } }) as unknown as LinkCrawl;

/** A worker with two open crawls, of which `greedy` asks for much more space than the other. */
function floorOf({ own, free }: { own: number | undefined; free: () => number }) {
  const [modest, greedy] = [crawlThatAsks('modest', 50e6), crawlThatAsks('greedy', 900e9)];
  const gaveUp: [CrawlId, WebfarerError][] = [];
  const floor = createDiskFloor({
    folder: '/data',
    minFreeBytes: own,
    freeBytes: async () => free(),
    crawls: () => [{ about: modest }, { about: greedy }],
    giveUp: (crawl, error) => void gaveUp.push([crawl, error]),
  });
  return { floor, modest, greedy, gaveUp };
}

it('lets go of the crawl alone that asks for more space than there is', async () => {
  const { floor, modest, greedy, gaveUp } = floorOf({ own: 100e6, free: () => 10e9 });
  await floor.check(modest);
  await expect(floor.check(greedy)).rejects.toMatchObject({ code: 'min-free' });
  await floor.look();
  expect(gaveUp.map(([crawl, { code }]) => [crawl, code])).toEqual([['greedy', 'min-free']]);
  expect(floor.minFreeBytes()).toBe(100e6);
});

it('blames no crawl below the floor of the worker, where there is room, and where the disk cannot be asked', async () => {
  let free = (): number => 99e6;
  const { floor, gaveUp } = floorOf({ own: 100e6, free: () => free() });
  await floor.look();
  free = () => 900e9;
  await floor.look();
  free = () => {
    throw new Error('no such folder');
  };
  await floor.look();
  expect(gaveUp).toEqual([]);
});

it('pauses the worker for its greediest crawl where it has no floor of its own', async () => {
  const { floor, gaveUp } = floorOf({ own: undefined, free: () => 10e9 });
  expect(floor.minFreeBytes()).toBe(900e9);
  await floor.look();
  expect(gaveUp).toEqual([]);
});
