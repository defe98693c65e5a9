import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getSurt } from 'warcio';
import { surt } from './surt.ts';
import { normaliser } from './url.ts';

const normalise = normaliser({ enabled: true, sort: true, strip: [] });

describe('archive keys', () => {
  it.each([
    ['https://www.example.org/', 'org,example)/'],
    ['http://www2.example.org:8080/A/B.html?b=2&a=1', 'org,example:8080)/a/b.html?a=1&b=2'],
    ['https://127.0.0.1/x', '1,0,0,127)/x'],
    ['http://[::1]:81/x', '[::1]:81)/x'],
  ])('%s', (url, key) => expect(surt(normalise(url) as never)).toBe(key));

  it('are those of the reader that replays them', () => {
    const piece = fc.constantFrom('/', 'A', 'b', '%c3', '?', '&', '=', ';', '+', 'x=1', '.');
    const text = fc.tuple(
      fc.constantFrom('http://', 'https://'),
      fc.constantFrom(
        'www.a.example',
        'www12.b.example:8080',
        'www.com',
        '1.2.3.4',
        '[::1]:99',
        'c.d.e.example',
      ),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, ([scheme, host, path]) => {
        const url = normalise(`${scheme}${host}/${path}`);
        return url === undefined || surt(url) === getSurt(url);
      }),
      { numRuns: 3000 },
    );
  });
});
