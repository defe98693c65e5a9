import { expect, it } from 'vitest';
import { browserError, errorWithPlace } from './error-place.ts';

function thrown(stack: string[], error: Error = new Error('no price')): Error {
  error.stack = [`${error.name}: ${error.message}`, ...stack.map((line) => `    at ${line}`)].join('\n');
  return error;
}

it('names the file and line of the code that threw', () => {
  const stack = ['parse (/home/ann/shop/parse.ts:12:7)', 'onPage (/home/ann/shop/shop.ts:30:3)'];
  expect(errorWithPlace(thrown(stack), '/home/ann/shop')).toBe('no price (parse.ts:12:7)');
  expect(errorWithPlace(thrown(stack), '/home/bob')).toBe('no price (/home/ann/shop/parse.ts:12:7)');
});

it('passes over the frames of libraries, of Node and of the crawler', () => {
  const stack = [
    'JSON.parse (<anonymous>)',
    `json (file://${import.meta.dirname}/page.ts:60:9)`,
    'Object.check (/home/ann/shop/node_modules/zod/index.js:1:1)',
    'node:internal/process/task_queues:105:5',
    'async onPage (file:///home/ann/shop/my%20shop.ts:8:20)',
  ];
  expect(errorWithPlace(thrown(stack, new TypeError('x is not a function')), '/home/ann/shop')).toBe(
    'TypeError: x is not a function (my shop.ts:8:20)',
  );
});

it('takes a frame without a function, and does without any', () => {
  expect(errorWithPlace(thrown(['file:///a/b.mjs:3:9']), '/a')).toBe('no price (b.mjs:3:9)');
  expect(errorWithPlace(thrown([]), '/a')).toBe('no price');
  expect(errorWithPlace('just text', '/a')).toBe('just text');
});

it('keeps of the log of a browser what was waited for, and nothing that was typed', () => {
  const message = `locator.fill: Timeout 300ms exceeded.
Call log:
\u001b[2m  - waiting for locator('#code')\u001b[22m
\u001b[2m  - fill("open sesame")\u001b[22m
`;
  const error = Object.assign(new Error(message), { name: 'TimeoutError' });
  expect(browserError(thrown(['inBrowser (/a/shop.ts:3:9)'], error), '/a')).toBe(
    "locator.fill: Timeout 300ms exceeded. waiting for locator('#code') (shop.ts:3:9)",
  );
  expect(browserError(thrown([], new TypeError('x is not a function')), '/a')).toBe(
    'TypeError: x is not a function',
  );
  expect(browserError('no', '/a')).toBe('no');
  expect(browserError(thrown([], new Error('x'.repeat(9_999))), '/a')).toHaveLength(500);
});
