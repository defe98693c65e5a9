import type { Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { followInTurns } from './follow-in-turns.ts';
import type { PageLink } from './scraper.ts';

const links = (count: number): PageLink[] =>
  Array.from({ length: count }, (_, at) => ({
    url: `https://a.example/${at}` as Url,
    rel: 'a',
    text: '',
    nofollow: false,
  }));

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('follows the links of most pages at once, in their order', () => {
  const followed: PageLink[] = [];
  expect(followInTurns(links(500), (some) => followed.push(...some))).toBeUndefined();
  expect(followed).toEqual(links(500));
});

it('lets others have their turn where links take long, and follows each once', async () => {
  const followed: PageLink[] = [];
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  await followInTurns(links(60), (some) => {
    for (const link of some) {
      busy(5);
      followed.push(link);
    }
  });
  clearInterval(counting);
  expect(followed).toEqual(links(60));
  expect(turns).toBeGreaterThan(3);
});

it('gives a page up on which they take too long', { timeout: 60_000 }, async () => {
  const endless = followInTurns(links(10_000), (some) => {
    for (const _ of some) busy(20);
  });
  await expect(endless).rejects.toThrow('the patterns of the job are too slow');
});
