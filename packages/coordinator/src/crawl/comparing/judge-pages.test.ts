import { expect, it } from 'vitest';
import { type Compared, type ComparisonFacts, judge } from './judge-pages.ts';

const whole: ComparisonFacts = { isNowWhole: true, isBeforeWhole: true, isRecrawl: false };
const page = (digest?: string): NonNullable<Compared['now']> => ({
  isPage: true,
  isContent: true,
  isSettled: true,
  digest,
  change: undefined,
  why: '',
});
const before = (digest?: string) => ({ isPage: true, digest });

it('believes a recrawl in what it found out when it fetched the page', () => {
  const now = { ...page(undefined), change: 'unchanged' };
  expect(judge({ now, before: before('x') }, { ...whole, isRecrawl: true })?.kind).toBe('unchanged');
  // What a recrawl of a third crawl found says nothing about this one.
  expect(judge({ now, before: before('x') }, whole)).toMatchObject({
    kind: 'unclear',
    inNow: true,
    inBefore: true,
  });
});

it('says of nothing that it is new where results of the earlier crawl are out of reach', () => {
  expect(judge({ now: page('x'), before: undefined }, { ...whole, isBeforeWhole: false })).toMatchObject({
    kind: 'unclear',
    inNow: true,
    inBefore: false,
  });
});

it('counts no URL that was a page in neither crawl', () => {
  const nothing = { ...page(), isPage: false, isContent: false };
  expect(judge({ now: nothing, before: undefined }, whole)).toBeUndefined();
  expect(judge({ now: nothing, before: { isPage: false, digest: 'x' } }, whole)).toBeUndefined();
});
