import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureOf } from '../capture.fixture.ts';
import { maxSegmentBytes, namer, safeSegment } from './file-name.ts';
import { NameRegistry } from './name-registry.ts';

const corpora = process.env.WEBFARER_CORPORA;

/** What every name must be, on every system. */
function expectHarmless(name: string): void {
  expect(posix.isAbsolute(name) || win32.isAbsolute(name)).toBe(false);
  expect(posix.normalize(name)).toBe(name);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(1_100);
  for (const segment of name.split('/')) {
    expect(segment).not.toMatch(/[\u0000-\u001f\u007f-\u009f<>:"\\|?*\u202a-\u202e\u2066-\u2069]/u);
    expect(segment).not.toMatch(/^[.\-~ ]|[. ]$|^$/);
    expect(segment).not.toMatch(/^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i);
    expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(maxSegmentBytes);
  }
}

const traversal = [
  '/../../etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/x',
  '/..\\..\\windows\\win.ini',
  '/C:/windows/system32',
  '/C:\\x',
  '//server/share',
  '/%5c%5cserver%5cshare',
  '/a%00.html',
  '/a%0d%0ab',
  '/con',
  '/NUL.txt',
  '/com1.html',
  '/COM\u00b9',
  '/file.',
  '/file. ',
  '/.git/config',
  '/-rf',
  '/~root',
  '/\u202egnp.exe',
  '/e\u0301',
  `/${'a'.repeat(5_000)}`,
  `/${'é'.repeat(300)}.html`,
  `/${'d/'.repeat(500)}x`,
  '/%',
  '/%ff%fe',
  '/?../../x',
  '/?a=/../../b',
  '/%F0%9F%92%A9',
];

describe('file names', () => {
  const plain = namer('{host}/{path}');

  it.each([
    ['http://a.test/', 'text/html', 'a.test/index.html'],
    ['http://a.test/docs/', 'text/html', 'a.test/docs/index.html'],
    ['http://a.test/docs/install', 'text/html', 'a.test/docs/install.html'],
    ['http://a.test/docs/install.php', 'text/html', 'a.test/docs/install.php.html'],
    ['http://a.test/a.htm', 'text/html', 'a.test/a.htm'],
    ['http://a.test/Paper.PDF', 'application/pdf', 'a.test/Paper.PDF'],
    ['http://a.test/paper.pdf', 'text/html', 'a.test/paper.pdf.html'],
    ['http://a.test/data', 'application/x-unknown', 'a.test/data.bin'],
    ['http://a.test/v1.2/notes', 'text/plain', 'a.test/v1.2/notes.txt'],
    ['http://[2001:db8::1]:8080/x', 'text/html', '2001-db8--1/x.html'],
    ['http://a.test/caf%C3%A9', 'text/html', 'a.test/café.html'],
  ])('%s (%s) is %s', (url, mime, name) => {
    expect(plain(captureOf({ url, mime }))).toBe(name);
  });

  it('fills every placeholder', () => {
    const all = namer('{scheme}/{host}/{port}/{date}/{depth}/{label}x/{query}/{hash}.{ext}');
    expect(all(captureOf({ url: 'https://a.test/b.css?c=%2Fd', mime: 'text/css' }))).toMatch(
      /^https\/a\.test\/443\/2025-01-02\/0\/x\/c=_d\/[a-z2-7]{12}\.css$/,
    );
    expect(() => namer('{hots}/{path}')).toThrow('unknown placeholder {hots}');
  });

  it.each(traversal)('makes hostile path %# harmless', (path) => {
    for (const template of [
      '{host}/{path}',
      '{path}',
      '{host}/{path}{query}',
      '{query}',
      '../{path}',
      '/{path}',
    ]) {
      expectHarmless(namer(template)(captureOf({ url: `http://a.test${path}` })));
    }
  });

  it('makes any text harmless', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom(...traversal),
      fc.webPath(),
    );
    fc.assert(
      fc.property(text, text, fc.string({ maxLength: 30 }), (path, query, label) => {
        const capture = captureOf({ url: `http://a.test/${path}?${query}`, mime: query });
        capture.entry.label = label;
        for (const template of ['{host}/{path}', '{label}/{query}/{path}', '{path}.{ext}']) {
          expectHarmless(namer(template)(capture));
        }
        expectHarmless(safeSegment(path, ''));
      }),
      { numRuns: 1_500 },
    );
  });

  it.skipIf(!corpora)('makes the naughty strings harmless (WEBFARER_CORPORA)', () => {
    const strings = JSON.parse(readFileSync(join(corpora ?? '', 'strings/blns.json'), 'utf8')) as string[];
    expect(strings.length).toBeGreaterThan(400);
    for (const text of strings) {
      for (const part of [text, encodeURIComponent(text.toWellFormed())]) {
        expectHarmless(plain(captureOf({ url: `http://a.test/${part}` })));
        expectHarmless(namer('{query}')(captureOf({ url: `http://a.test/?${part}` })));
      }
    }
  });
});

describe('name registry', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webfarer-names-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  let serial = 0;
  const fresh = () => NameRegistry.open(join(folder, `names-${serial++}`));

  it('gives a name to the first and a longer one to others', async () => {
    const names = await fresh();
    expect(names.claim('a/b.html', 'http://a/b')).toBe('a/b.html');
    expect(names.claim('a/b.html', 'http://a/b')).toBe('a/b.html');
    const second = names.claim('a/b.html', 'http://a/b.html');
    expect(second).toMatch(/^a\/b~[a-z2-7]{12}\.html$/);
    expect(names.claim('A/B.html', 'http://a/B')).toMatch(/^A\/B~[a-z2-7]{12}\.html$/);
    expect(names.claim('a/b.html', 'http://a/b.html')).toBe(second);
    await names.close();
  });

  it('keeps files and folders apart', async () => {
    const names = await fresh();
    names.claim('a/b.html', '1');
    expect(names.claim('a/b.html/c.html', '2')).toBe('a/b.html~/c.html');
    expect(names.claim('a/x.zip/y.html', '3')).toBe('a/x.zip/y.html');
    expect(names.claim('a/x.zip', '4')).toMatch(/^a\/x~[a-z2-7]{12}\.zip$/);
    await names.close();
  });

  it('remembers across runs, and drops a torn line', async () => {
    const path = join(folder, 'kept');
    let names = await NameRegistry.open(path);
    const first = names.claim('a.html', '1');
    const second = names.claim('a.html', '2');
    await names.sync();
    await names.close();
    await appendFile(path, '0123456789ab 01');
    names = await NameRegistry.open(path);
    expect([names.claim('a.html', '2'), names.claim('a.html', '1')]).toEqual([second, first]);
    expect(names.claim('a.html', '3')).not.toBe(second);
    await names.sync();
    await names.close();
    names = await NameRegistry.open(path);
    expect(names.claim('a.html', '1')).toBe(first);
    await names.close();
  });

  it('never gives one name to two URLs, whatever the case', async () => {
    const names = await fresh();
    const part = fc.constantFrom('a', 'A', 'a.html', 'A.HTML', 'ß', 'ss', 'SS', 'é', 'e\u0301', 'b');
    const wanted = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const owners = new Map<string, string>();
    fc.assert(
      fc.property(wanted, fc.integer({ min: 0, max: 200 }), (name, url) => {
        const got = names.claim(name, `${name}#${url}`);
        const key = got.normalize('NFKC').toUpperCase().toLowerCase();
        expect(owners.get(key) ?? `${name}#${url}`).toBe(`${name}#${url}`);
        owners.set(key, `${name}#${url}`);
        for (const other of owners.keys()) {
          if (other !== key) expect(key.startsWith(`${other}/`)).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
    await names.close();
  });
});
