import { expect, test } from 'vitest';
import { takeLinkCode } from './link-code.ts';

function at(hash: string) {
  const shown: string[] = [];
  const history = {
    replaceState: (_: unknown, __: string, to?: string | URL | null) => void shown.push(String(to)),
  };
  return { code: takeLinkCode({ hash, pathname: '/crawls/a', search: '?x=1' }, history), shown };
}

test('takes the code out of the address', () => {
  expect(at('#code=abc_-9')).toEqual({ code: 'abc_-9', shown: ['/crawls/a?x=1'] });
});

test('takes out what cannot be a code, and uses it for nothing', () => {
  expect(at('#code=<script>')).toEqual({ code: undefined, shown: ['/crawls/a?x=1'] });
});

test('leaves other addresses as they are', () => {
  expect(at('#main')).toEqual({ code: undefined, shown: [] });
  expect(at('')).toEqual({ code: undefined, shown: [] });
});
