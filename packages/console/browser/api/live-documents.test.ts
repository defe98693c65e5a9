import { expect, it } from 'vitest';
import { nothingYet, withFrame } from './live-documents.ts';

const of = { id: 1, token: 't' };

it('joins the pieces of a snapshot, then applies changes', () => {
  const first = withFrame(nothingYet, { type: 'snapshot', ...of, why: 'first', set: { a: 1 }, more: true });
  expect(first.isWhole).toBe(false);
  const whole = withFrame(first, { type: 'snapshot', ...of, why: 'first', set: { b: 2 }, more: false });
  expect([...whole.documents]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  const changed = withFrame(whole, { type: 'delta', ...of, set: { b: 3, c: 4 }, removed: ['a'] });
  expect([...changed.documents]).toEqual([
    ['b', 3],
    ['c', 4],
  ]);
  expect([...whole.documents.keys()]).toEqual(['a', 'b']);
});

it('forgets everything when a later snapshot begins', () => {
  const whole = withFrame(nothingYet, { type: 'snapshot', ...of, why: 'first', set: { a: 1 }, more: false });
  const next = withFrame(whole, { type: 'snapshot', ...of, why: 'too-old', set: { b: 2 }, more: false });
  expect([...next.documents]).toEqual([['b', 2]]);
});

it('keeps what it shows when it resumes behind its token', () => {
  const whole = withFrame(nothingYet, { type: 'snapshot', ...of, why: 'first', set: { a: 1 }, more: false });
  expect(withFrame(whole, { type: 'resumed', ...of })).toBe(whole);
});

it('keeps the latest events', () => {
  let state = nothingYet;
  for (let n = 0; n < 400; n++) state = withFrame(state, { type: 'events', ...of, events: [{ n }] });
  expect([state.events.length, state.events.at(-1)]).toEqual([300, { n: 399 }]);
});
