import { expect, test } from 'vitest';
import { queueSize } from './queue-size.ts';

test('what is leased and not begun counts as queued, so that a view adds up', () => {
  const balance = { known: 41, queued: 18, leased: 8, done: 15, failed: 0, refused: 0 };
  expect(queueSize({ balance, inFlight: 1 })).toBe(25);
  expect(queueSize({ balance, inFlight: 9 })).toBe(18);
});
