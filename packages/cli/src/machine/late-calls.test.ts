import { expect, it } from 'vitest';
import { isLateCall, lateCallLine } from './late-calls.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

it.each([
  named('Error', 'page.waitForSelector: Target page, context or browser has been closed\nCall log:\n  - x'),
  named('TimeoutError', 'locator.click: Timeout 10000ms exceeded.'),
  named('Error', 'page.evaluate: Target crashed'),
])('a call on a page that nobody awaited is known: %s', (error) => {
  expect(isLateCall(error)).toBe(true);
});

it.each([
  named('TypeError', 'x is not a function'),
  named('Error', 'the database is closed'),
  named('TimeoutError', 'The operation was aborted due to timeout'),
  named('Error', 'page.click: Unexpected token'),
  'page.click: closed',
  undefined,
])('anything else is a fault: %s', (error) => {
  expect(isLateCall(error)).toBe(false);
});

it('is told in one line', () => {
  expect(lateCallLine(new Error('page.click: has been closed\nCall log: "secret"'))).toBe(
    'A call in inBrowser was not awaited and failed after the page was read: page.click: has been closed',
  );
});
