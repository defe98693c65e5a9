import { expect, it } from 'vitest';
import { otherKey } from './replay-keys.ts';

it('files paths that end in a slash under both keys that readers look for', () => {
  const tail = '20250102030405 {"url": "http://a.test/b/"}';
  expect(otherKey(`test,a)/b/ ${tail}`)).toBe(`test,a)/b ${tail}`);
  expect(otherKey(`test,a:8080)/b/c/?x=/ ${tail}`)).toBe(`test,a:8080)/b/c?x=/ ${tail}`);
  for (const key of ['test,a)/', 'test,a)/?x', 'test,a)/b', 'test,a)/b?x=/', 'urn:dom:http://a.test/b/'])
    expect(otherKey(`${key} ${tail}`)).toBeUndefined();
});
