import { expect, it } from 'vitest';
import { usualStay } from './crawl-plan.ts';

it.each([
  ['example.org', 'site'],
  ['https://example.org/', 'site'],
  ['https://example.org/index.html', 'site'],
  ['https://example.org/docs/', 'path'],
  ['https://example.org/docs/start.html', 'path'],
  ['no address', 'site'],
])('keeps a crawl of %s to its %s', (address, stay) => {
  expect(usualStay(address)).toBe(stay);
});
