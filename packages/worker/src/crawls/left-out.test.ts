import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import { createLeftOut } from './left-out.ts';

const crawl = { id: 'large' as CrawlId, revision: 'r1', nonce: 'n1' } as LinkCrawl;
const short = (left: string) =>
  new WebfarerError('min-free', `${left} MB left, the job asks for 90,000,000 MB`);

it('tells a reason once, however its figures change, and another one again', () => {
  const told: string[] = [];
  const leftOut = createLeftOut({
    clock: { now: () => 0 },
    unable: (_crawl, error) => void told.push((error as Error).message),
  });
  for (const left of ['79,369', '79,366', '9,364']) leftOut.add(crawl, short(left));
  expect(told).toHaveLength(1);
  // Who asks is told the latest.
  expect(leftOut.told()).toMatchObject([{ code: 'min-free', message: short('9,364').message }]);
  leftOut.add(crawl, new WebfarerError('storage', 'cannot make the folder of large'));
  expect(told).toHaveLength(2);
});
