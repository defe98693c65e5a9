import { expect, it } from 'vitest';
import { shownBalance } from './shown-balance.ts';

const balance = { known: 20, queued: 5, leased: 3, done: 8, failed: 2, refused: 2 };

it('shows nothing in progress of a crawl that does not run, and still adds up', () => {
  expect(shownBalance(balance, 'stopped')).toEqual({ ...balance, leased: 0, queued: 8 });
  expect(shownBalance(balance, 'running')).toBe(balance);
});
