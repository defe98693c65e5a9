import { describe, expect, test } from 'vitest';
import { createCookieJar } from './cookies.ts';
import { parseCookiesTxt } from './cookies-txt.ts';

const now = 1_800_000_000_000;
const later = 1_900_000_000;

function jarOf(...lines: string[]) {
  const parsed = parseCookiesTxt(['# Netscape HTTP Cookie File', ...lines].join('\n'), now);
  if (!parsed.ok) throw new Error(`line ${parsed.line}`);
  const jar = createCookieJar();
  jar.load(parsed.cookies);
  return { jar, ...parsed };
}

describe('cookies.txt', () => {
  test('is read as curl and browsers write it', () => {
    const { jar, expired } = jarOf(
      `.example.org\tTRUE\t/\tFALSE\t${later}\tsession\tabc=1`,
      `#HttpOnly_www.example.org\tFALSE\t/in\tTRUE\t0\tkey\tv`,
      `.example.org\tTRUE\t/\tFALSE\t1000000000\told\tgone`,
      '',
    );
    expect(expired).toBe(1);
    expect(jar.header('http://example.org/')).toBe('session=abc=1');
    expect(jar.header('http://www.example.org/in')).toBe('session=abc=1');
    expect(jar.header('https://www.example.org/in/x')).toBe('key=v; session=abc=1');
    expect(jar.header('https://sub.www.example.org/in')).toBe('session=abc=1');
    expect(jar.header('http://example.com/')).toBeUndefined();
    expect(jar.header('http://notexample.org/')).toBeUndefined();
  });

  test.each([
    ['spaces for tabs', '.example.org TRUE / FALSE 0 a b'],
    ['too few fields', '.example.org\tTRUE\t/\tFALSE\t0'],
    ['JSON', '[{"name":"a"}]'],
    ['a host that is a URL', 'http://example.org/\tTRUE\t/\tFALSE\t0\ta\tb'],
    ['no number', '.example.org\tTRUE\t/\tFALSE\tsoon\ta\tb'],
  ])('%s is no cookies.txt', (_, line) => {
    expect(parseCookiesTxt(`# comment\n${line}\n`, now)).toEqual({ ok: false, line: 2 });
  });

  test('a cookie for all of a public suffix is not taken', () => {
    expect(jarOf(`.co.uk\tTRUE\t/\tFALSE\t${later}\ta\tb`).jar.header('http://shop.co.uk/')).toBeUndefined();
  });
});

describe('the jar', () => {
  test('comes back as it was saved, session cookies too', () => {
    const { jar } = jarOf(`127.0.0.1\tFALSE\t/\tFALSE\t${later}\tfile\t1`);
    const before = jar.version;
    jar.store('http://127.0.0.1:8080/', ['session=2; Path=/; HttpOnly', 'long=3; Max-Age=1000000']);
    expect(jar.version).toBe(before + 2);
    const again = createCookieJar(jar.save());
    expect(again.header('http://127.0.0.1/')?.split('; ').toSorted()).toEqual([
      'file=1',
      'long=3',
      'session=2',
    ]);
    again.store('http://127.0.0.1/', ['=loose', 'session=; Max-Age=0']);
    expect(again.header('http://127.0.0.1/')).not.toContain('session');
  });

  test('what a site sets stays within limits', () => {
    const jar = createCookieJar();
    const many = Array.from({ length: 500 }, (_, n) => `c${n}=${'x'.repeat(20)}`);
    jar.store('http://example.org/', [`big=${'x'.repeat(5_000)}`, ...many]);
    expect(jar.header('http://example.org/')?.split('; ')).toHaveLength(50);
    expect(jar.header('http://example.org/')).not.toContain('big');
    jar.store('http://example.org/', ['c7=renewed']);
    expect(jar.header('http://example.org/')).toContain('c7=renewed');
    // Those for other paths are gone over as well.
    for (let path = 0; path < 20; path++)
      jar.store(
        `http://w${path}.example.org/`,
        Array.from({ length: 50 }, (_, n) => `d=1; Domain=example.org; Path=/${path}/${n}`),
      );
    expect((JSON.parse(jar.save()) as { cookies: unknown[] }).cookies.length).toBeLessThanOrEqual(300);
    expect(jar.store('http://other.org/', ['a=1'])).toBe(0);
    expect(jar.header('http://other.org/')).toBe('a=1');
  });

  test('says how many have no room in their site or in the crawl', () => {
    const jar = createCookieJar();
    const set = (site: string, n: number) => jar.store(`http://w${n}.${site}/`, [`c=${n}`]);
    const all = (site: string, count: number) => {
      let leftOut = 0;
      for (let n = 0; n < count; n++) leftOut += set(site, n);
      return leftOut;
    };
    expect(all('example.org', 310)).toBe(10);
    // One that is there is only renewed.
    expect(set('example.org', 0)).toBe(0);
    for (let site = 0; site < 13; site++) expect(all(`s${site}.com`, 280)).toBe(0);
    // 3,940 are kept, so the 61st more needs room.
    expect(all('last.com', 100)).toBe(300);
  });

  test('a crawl keeps the cookies of the sites that were asked last, and those of a file', () => {
    const jar = createCookieJar();
    const about = { subdomains: false, path: '/', secure: false, httpOnly: false };
    jar.load([{ ...about, host: 'given.org', name: 'key', value: 'of-the-operator' }]);
    const site = (n: number) => `http://site${n}.org/`;
    let leftOut = 0;
    for (let n = 0; n < 4_010; n++) {
      leftOut += jar.store(site(n), [`session=${n}`]);
      if (n % 100 === 0) jar.header(site(0));
    }
    expect(leftOut).toBe(11);
    const text = jar.save();
    const again = createCookieJar(text);
    for (const one of [jar, again]) {
      expect(one.header(site(0))).toBe('session=0');
      expect(one.header(site(1))).toBeUndefined();
      expect(one.header(site(4_009))).toBe('session=4009');
      expect(one.header('http://given.org/')).toBe('key=of-the-operator');
    }
    for (const one of [text, again.save()]) expect(JSON.parse(one)).toMatchObject({ given: ['given.org'] });
  });

  test('what changed since it was written is written too', () => {
    const jar = createCookieJar();
    for (const site of ['a.org', 'b.org']) jar.store(`http://${site}/`, ['a=old']);
    jar.save();
    jar.store('http://b.org/', ['a=new']);
    const again = createCookieJar(jar.save());
    expect(again.header('http://a.org/')).toBe('a=old');
    expect(again.header('http://b.org/')).toBe('a=new');
  });

  test('knows the cookies of an address again', () => {
    const jar = createCookieJar();
    for (const at of ['http://[2606:4700::1]/', 'http://127.0.0.1:8080/']) jar.store(at, ['a=1']);
    const again = createCookieJar(jar.save());
    for (const at of ['http://[2606:4700::1]/', 'http://127.0.0.1:8080/'])
      expect(again.header(at)).toBe('a=1');
  });

  test('a host that sets nothing of use takes no room', () => {
    const jar = createCookieJar();
    for (let n = 0; n < 100; n++) jar.store(`http://site${n}.org/`, [`a=${'x'.repeat(5_000)}`]);
    expect(jar.header('http://site7.org/')).toBeUndefined();
    expect(JSON.parse(jar.save())).toMatchObject({ cookies: [] });
  });

  test('a site whose cookies are gone has room for others', () => {
    const jar = createCookieJar();
    for (let n = 0; n < 400; n++) {
      jar.store(`http://w${n}.example.org/`, [`c${n}=1`]);
      if (n < 250) jar.store(`http://w${n}.example.org/`, [`c${n}=1; Max-Age=0`]);
    }
    expect(jar.header('http://w399.example.org/')).toBe('c399=1');
  });
});
