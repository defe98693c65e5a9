import type { CrawlId, WebfarerError } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import type { Block } from '../shares/block-watch.ts';
import { createBlockingCrawls } from './blocking-crawls.ts';

const crawl = (id: string) => ({ id, nonce: `${id}-nonce`, job: { name: id } }) as LinkCrawl;
const block: Block = { url: 'https://a.example/page', stage: 'handler', ms: 1_234.4 };

function lab(how: { pauses: boolean; open: number }) {
  const paused: { crawl: CrawlId; error: WebfarerError; pauseMs: number }[] = [];
  const crawls = createBlockingCrawls({
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    pauses: how.pauses,
    open: () => how.open,
    pause: (id, error, pauseMs) => void paused.push({ crawl: id, error, pauseMs }),
  });
  const blocked = (times: number, of = 'bad') => {
    for (let i = 0; i < times; i++) crawls.add(crawl(of), block);
  };
  return { crawls, paused, blocked };
}

const words =
  'pages of bad blocked the event loop 3 times within 5 minutes, for 3703 ms in all; the last one was https://a.example/page for 1234 ms in the handler';

it('pauses a crawl with the third block, and says which page of it was the last', () => {
  const { crawls, paused, blocked } = lab({ pauses: true, open: 2 });
  blocked(2);
  blocked(2, 'other');
  expect(paused).toEqual([]);
  blocked(1);
  expect(paused).toMatchObject([{ crawl: 'bad', pauseMs: 300_000 }]);
  expect(paused[0]?.error).toMatchObject({
    code: 'blocks-worker',
    message: `${words}. It is paused here for 5 minutes`,
    next: expect.stringContaining('Compute less per page'),
  });
  expect(crawls.told()).toBeUndefined();
});

function expectToldOnce({ crawls, paused, blocked }: ReturnType<typeof lab>): void {
  blocked(2);
  expect(crawls.told()).toBeUndefined();
  blocked(10);
  expect(paused).toEqual([]);
  expect(crawls.told()).toEqual([{ crawl: 'bad', message: words }]);
}

it('says once of a crawl of a person alone that its pages block, and leaves it alone', () => {
  expectToldOnce(lab({ pauses: false, open: 2 }));
});

it('says once of a crawl that has the worker to itself that its pages block, and leaves it alone', () => {
  expectToldOnce(lab({ pauses: true, open: 1 }));
});
