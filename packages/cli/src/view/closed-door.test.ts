import { expect, test } from 'vitest';
import { closedDoorLines } from './closed-door.ts';
import type { ClosedDoor } from './closed-door.ts';

test.each([
  ['example.org', false, '--allow-private example.org'],
  ['job.yml', true, "fetch: { allowPrivate: ['host:port'] }"],
])('what %s may do about a private address', (typed, fromFile, hint) => {
  const summary = { snapshot: { byReason: { 'private-address': 1 } } };
  const door = { summary, tally: {}, typed, fromFile, launcher: 'webfarer' } as unknown as ClosedDoor;
  expect(closedDoorLines('nothing-allowed', door)?.[1]).toContain(hint);
});
