import { expect, it } from 'vitest';
import { addressIn, encodingsOf, locationOf } from './headers.ts';

const head = (...headers: [string, string][]) => ({ status: 200, statusText: '', headers });
const sent = (text: string) => Buffer.from(text).toString('latin1');

it('joins the lines of the content encoding', () => {
  expect(encodingsOf(head(['Content-Encoding', 'gzip'], ['X', 'y'], ['content-encoding', 'br']))).toBe(
    'gzip, br',
  );
  expect(encodingsOf(head(['X', 'y']))).toBeUndefined();
});

it('reads where an answer leads as UTF-8, where it is that', () => {
  expect(locationOf(head(['location', sent('/café/日本')]))).toBe('/café/日本');
  expect(locationOf(head(['Location', 'caf\xe9']))).toBe('caf\xe9');
  expect(locationOf(head())).toBeUndefined();
  // A browser has read it already.
  expect(addressIn('/日本/\xe9')).toBe('/日本/\xe9');
});
