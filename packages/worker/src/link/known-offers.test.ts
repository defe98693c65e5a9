import type { LeaseReport, Offer, Settlement, Url } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createKnownOffers } from './known-offers.ts';

const offer = (url: string) => ({ url: url as Url, kind: 'page', depth: 1, cost: 0, hops: 0 }) as Offer;

function report(links: string[], loose?: string[]): LeaseReport {
  const settled = [{ kind: 'outcome', offers: links.map(offer) }] as unknown as Settlement[];
  return { settled, ...(loose ? { offers: loose.map(offer) } : {}) } as LeaseReport;
}

function links([first]: LeaseReport[]): string[] {
  const [settled] = first?.settled ?? [];
  const found = settled?.kind === 'outcome' ? settled.offers : [];
  return [...found, ...(first?.offers ?? [])].map(({ url }) => url);
}

test('what the store knows is not offered again', () => {
  const known = createKnownOffers();
  const first = known.without([report(['a', 'b'], ['c'])]);
  expect(links(first)).toEqual(['a', 'b', 'c']);
  known.learn(first, [{ ok: true, accepted: 2, known: 1 }]);
  expect(links(known.without([report(['b', 'd', 'a'], ['c', 'e'])]))).toEqual(['d', 'e']);
});

test('what was over a budget, came too late or failed is offered again', () => {
  const known = createKnownOffers();
  const sent = [report(['a', 'b']), report(['c'])];
  // One of two was dropped, nobody says which; the other lease was over.
  known.learn(sent, [{ ok: true, accepted: 1, known: 0 }, { ok: false }]);
  expect(links(known.without([report(['a', 'b', 'c'])]))).toEqual(['a', 'b', 'c']);
  known.learn([report(['a'])], []);
  expect(links(known.without([report(['a'])]))).toEqual(['a']);
});

test('it forgets the oldest, and retries stay as they are', () => {
  const known = createKnownOffers(2);
  for (const url of ['a', 'b', 'c', 'd', 'e'])
    known.learn([report([url])], [{ ok: true, accepted: 1, known: 0 }]);
  expect(links(known.without([report(['a', 'b', 'c', 'd', 'e'])]))).toEqual(['a', 'b']);
  const retry = { settled: [{ kind: 'retry', url: 'x' }] } as unknown as LeaseReport;
  expect(known.without([retry])).toEqual([retry]);
});
