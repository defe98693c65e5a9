import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import { hostOf, linkProblem, maxUrlBytes, normaliser, originOf, pathOf, seedUrl } from './url.ts';

const strip = ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'];
const normalise = normaliser({ enabled: true, sort: true, strip });
const base = 'https://example.org/dir/page.html?q=1';

describe('normalisation', () => {
  it.each([
    ['HTTP://User:Pass@EXAMPLE.org:80/', 'http://example.org/'],
    ['https://example.org:443', 'https://example.org/'],
    ['https://example.org:8443/', 'https://example.org:8443/'],
    ['a#b', 'https://example.org/dir/a'],
    ['../x/./y/../z', 'https://example.org/x/z'],
    ['?b=2&a=1&b=1', 'https://example.org/dir/page.html?a=1&b=2&b=1'],
    ['?', 'https://example.org/dir/page.html'],
    ['/?&&a=1&', 'https://example.org/?a=1'],
    ['/%7euser/%c3%a9?x=%2f%41', 'https://example.org/~user/%C3%A9?x=%2FA'],
    ['/é', 'https://example.org/%C3%A9'],
    ['/a b', 'https://example.org/a%20b'],
    ['/?utm_source=x&utm_=y&Utm_Medium=z&q=1&utm=2', 'https://example.org/?q=1&utm=2'],
    ['/?phpsessid=1', 'https://example.org/'],
    ['/a;jsessionid=AB12/b;v=1;sid=3?x', 'https://example.org/a/b;v=1?x'],
    ['/?redirect=http://a@b/#x', 'https://example.org/?redirect=http://a@b/'],
    ['//bücher.example/', 'https://xn--bcher-kva.example/'],
    ['//[::1]:8080/', 'https://[::1]:8080/'],
    ['//0x7f.1/', 'https://127.0.0.1/'],
    ['  /x\n', 'https://example.org/x'],
  ])('%s', (text, url) => expect(normalise(text, base)).toBe(url));

  it.each([
    'mailto:a@b.example',
    'javascript:x()',
    'data:,x',
    'ftp://a.example/',
    'http://',
    'http://a b/',
    'blob:https://a.example/x',
  ])('has no URL for %s', (text) => expect(normalise(text, base)).toBeUndefined());

  it('says why there is none', () => {
    expect(linkProblem('mailto:x@y.example')).toBe('scheme');
    expect(linkProblem('http://a b/')).toBe('invalid');
    expect(linkProblem(`https://a.example/${'x'.repeat(3000)}`)).toBe('too-long');
  });

  it('counts the length after cleaning', () => {
    const fits = `https://a.example/${'x'.repeat(maxUrlBytes - 'https://a.example/'.length)}`;
    expect(normalise(fits)).toBe(fits);
    expect(normalise(`${fits}?sid=1#fragment`)).toBe(fits);
    expect(normalise(`${fits}x`)).toBeUndefined();
  });

  it('never makes an escape or a dot segment that nobody wrote', () => {
    expect(normalise('/%%34%31', base)).toBe('https://example.org/%%341');
    expect(normalise('/a/..;sid=1/b', base)).toBe('https://example.org/a/..;sid=1/b');
    expect(normalise('http://a.example;sid=1/b;sid=2')).toBe('http://a.example;sid=1/b');
  });

  it('only parses when it is switched off', () => {
    const plain = normaliser({ enabled: false, sort: true, strip });
    expect(plain('http://U:p@A.example:80/%7e?b&a&sid=1#x')).toBe('http://a.example/%7e?b&a&sid=1');
  });

  it('keeps the order of the query when asked to', () => {
    expect(normaliser({ enabled: true, sort: false, strip: [] })('https://a.example/?b&a')).toBe(
      'https://a.example/?b&a',
    );
  });
});

/** Pieces that URLs and attacks on URL code are made of. */
const pieces =
  '/ // . .. %2e %2E%2e % %2 %25 %41 %7e %c3 %zz %00 %2f ; = sid= utm_a JSESSIONID=1 & ? # @ : \\ a B 9 é + ~ - \t'
    .split(' ')
    .concat(' ');
const hosts = [
  'a.example',
  'WWW.B.example:80',
  'c.example:8080',
  'u:p@d.example',
  '[::1]',
  '1.2.3.4',
  'é.example',
  'e.example.',
];
const generated = fc.tuple(
  fc.constantFrom('http://', 'https://', 'HTTP://'),
  fc.constantFrom(...hosts),
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }),
);

describe('100,000 generated URLs', () => {
  it('are normalised to the same in a second pass, on the same host', () => {
    let valid = 0;
    const check = ([scheme, host, parts]: [string, string, string[]]) => {
      const text = `${scheme}${host}/${parts.join('')}`;
      const url = normalise(text);
      if (url === undefined) return true;
      valid++;
      return normalise(url) === url && hostOf(url) === new URL(text).hostname;
    };
    fc.assert(fc.property(generated, check), { numRuns: 100_000, seed: 20 });
    expect(valid).toBeGreaterThan(90_000);
  });
});

describe('parts', () => {
  const url = 'https://a.example:8443/x:y/z?q=/' as Url;
  it('are cut out of the text', () => {
    expect([hostOf(url), originOf(url), pathOf(url)]).toEqual([
      'a.example',
      'https://a.example:8443',
      '/x:y/z?q=/',
    ]);
    expect(hostOf('http://[2001:db8::1]:81/' as Url)).toBe('[2001:db8::1]');
    expect(hostOf('http://[2001:db8::1]/a:b' as Url)).toBe('[2001:db8::1]');
  });
});

describe('seeds', () => {
  it.each([
    ['example.org', ['https://example.org/', 'http://example.org/']],
    [' Example.org/docs ', ['https://example.org/docs', 'http://example.org/docs']],
    ['example.org:8080', ['https://example.org:8080/', 'http://example.org:8080/']],
    ['http://example.org', ['http://example.org/']],
    ['localhost:3000', ['http://localhost:3000/', 'https://localhost:3000/']],
    ['127.0.0.1', ['http://127.0.0.1/', 'https://127.0.0.1/']],
    ['mailto:a@b.example', []],
    ['ftp://example.org', []],
    ['/path', []],
    ['', []],
  ])('%j', (text, urls) => expect(seedUrl(text)).toEqual(urls));
});
