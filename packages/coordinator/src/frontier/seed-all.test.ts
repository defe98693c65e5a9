import type { CrawlId, Offer } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { seedAll } from './seed-all.ts';
import { offerOf } from './suite/world.fixture.ts';

const calls = async (count: number): Promise<{ sizes: number[]; last: boolean[]; offered: Offer[] }> => {
  const seen = { sizes: [] as number[], last: [] as boolean[], offered: [] as Offer[] };
  const offers = Array.from({ length: count }, (_, n) => offerOf(`http://a.test/${n}`));
  const seed = async (_crawl: CrawlId, part: Offer[], { last }: { last: boolean }) => {
    seen.sizes.push(part.length);
    seen.last.push(last);
    seen.offered.push(...part);
    return part.map(() => 'accepted' as const);
  };
  await seedAll({ seed }, 'a' as CrawlId, offers);
  expect(seen.offered).toEqual(offers);
  return seen;
};

it('offers a long list in bounded calls, of which only the last one says so', async () => {
  expect(await calls(12_000)).toMatchObject({ sizes: [5_000, 5_000, 2_000], last: [false, false, true] });
  expect(await calls(10_000)).toMatchObject({ sizes: [5_000, 5_000], last: [false, true] });
});

it('says so with the only call, also without any seed', async () => {
  expect(await calls(1)).toMatchObject({ sizes: [1], last: [true] });
  expect(await calls(0)).toMatchObject({ sizes: [0], last: [true] });
});
