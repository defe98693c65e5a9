import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type RobotsCopy, systemClock, type Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { FetchAnswer, FetchRequest, FetchSession } from './fetch.ts';
import { readRobots } from './robots.ts';
import { createRobotsFiles } from './robots-files.ts';

const times = { startedAtMs: 1, durationMs: 2 };

function answering(answer: Partial<FetchAnswer> & { ok: boolean }): {
  session: FetchSession;
  asked: FetchRequest[];
} {
  const asked: FetchRequest[] = [];
  const whole = {
    status: 200,
    statusText: '',
    headers: [],
    body: Buffer.alloc(0),
    requestHead: '',
    unread: false,
    release: () => {},
  };
  const session: FetchSession = {
    fetch: async (request) => {
      asked.push(request);
      return { ...whole, ...times, ...answer } as FetchAnswer;
    },
    close: () => {},
  };
  return { session, asked };
}

function read(answer: Partial<FetchAnswer> & { ok: boolean }, more: { url?: Url; hops?: number } = {}) {
  const { session, asked } = answering(answer);
  const result = readRobots({
    session,
    files: createRobotsFiles(),
    clock: systemClock(),
    origin: 'https://a.example',
    hops: 0,
    headers: () => [['Accept-Encoding', 'gzip']],
    allowPrivate: [],
    signal: new AbortController().signal,
    ...more,
  });
  return result.then((robots) => ({ robots, asked }));
}

const bytes = (text: string): Buffer => Buffer.from(text);

describe('reading robots.txt', () => {
  it('asks the origin once, without compression, and keeps the file as a copy', async () => {
    const { robots, asked } = await read({
      ok: true,
      body: bytes('User-agent: *\nDisallow: /x\nSitemap: /map.xml\nSitemap: https://b.example/m.xml\n'),
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: 'https://a.example/robots.txt',
      headers: [['Accept-Encoding', 'identity']],
    });
    expect(robots).toMatchObject({
      kind: 'copy',
      contacted: true,
      copy: { origin: 'https://a.example', state: 'rules', status: 200 },
      sitemaps: ['https://a.example/map.xml', 'https://b.example/m.xml'],
    });
  });

  it.each([
    [401, 'absent'],
    [403, 'absent'],
    [404, 'absent'],
    [410, 'absent'],
    [429, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [304, 'absent'],
    [301, 'absent'],
  ])('takes status %i without a target for %s', async (status, state) => {
    const { robots } = await read({ ok: true, status });
    expect(robots).toMatchObject({ kind: 'copy', copy: { state, status, body: '' } });
  });

  it('hands back redirects, to other hosts and to its own, until there are too many', async () => {
    const redirect = {
      ok: true,
      status: 302,
      headers: [['Location', '//www.a.example/robots.txt#x']],
    } as const;
    const moved = { ...redirect, headers: redirect.headers.map(([n, v]) => [n, v] as [string, string]) };
    expect((await read(moved)).robots).toMatchObject({
      kind: 'redirect',
      url: 'https://www.a.example/robots.txt',
    });
    expect((await read(moved, { hops: 4 })).robots).toMatchObject({ kind: 'redirect' });
    expect((await read(moved, { hops: 5 })).robots).toMatchObject({
      kind: 'copy',
      copy: { state: 'absent' },
    });
    const elsewhere = {
      ok: true,
      status: 301,
      headers: [['location', 'ftp://a.example/robots.txt'] as [string, string]],
    };
    expect((await read(elsewhere)).robots).toMatchObject({ kind: 'copy', copy: { state: 'absent' } });
  });

  it('reports failures and answers that ended early as such', async () => {
    const failure = { ok: false, reason: 'dns-failed', detail: 'x', contacted: false } as const;
    expect((await read(failure)).robots).toMatchObject({
      kind: 'failed',
      reason: 'dns-failed',
      contacted: false,
    });
    const cut = { ok: true, truncated: 'disconnect', body: bytes('User-agent: *\nDisal') } as const;
    expect((await read(cut)).robots).toMatchObject({
      kind: 'failed',
      reason: 'connection-reset',
      contacted: true,
    });
  });

  it.each([
    [
      'UTF-8 with a mark',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes('User-agent: *\nDisallow: /')]),
      [],
    ],
    ['UTF-16, little end first', Buffer.from('\ufeffUser-agent: *\nDisallow: /', 'utf16le'), []],
    ['UTF-16, big end first', Buffer.from('\ufeffUser-agent: *\nDisallow: /', 'utf16le').swap16(), []],
    ['gzip nobody asked for', gzipSync('User-agent: *\nDisallow: /'), [['Content-Encoding', 'gzip']]],
  ])('understands %s', async (_name, body, headers) => {
    const { robots } = await read({ ok: true, body, headers: headers as [string, string][] });
    if (robots.kind !== 'copy') throw new Error(robots.kind);
    expect(createRobotsFiles().verdict(robots.copy, 'webfarer', 'https://a.example/p' as Url).allowed).toBe(
      false,
    );
  });

  it('forbids everything when the file cannot be decoded', async () => {
    const broken = {
      ok: true,
      body: bytes('no gzip'),
      headers: [['Content-Encoding', 'gzip'] as [string, string]],
    };
    expect((await read(broken)).robots).toMatchObject({ kind: 'copy', copy: { state: 'unreachable' } });
  });
});

describe('the verdict', () => {
  const copy = (body: string, state: RobotsCopy['state'] = 'rules'): RobotsCopy => ({
    origin: 'https://a.example',
    fetchedAtMs: 0,
    state,
    body,
  });
  const url = (path: string): Url => `https://a.example${path}` as Url;

  it('names the line that decided', () => {
    const rules = copy(
      '# hello\nUser-agent: *\nCrawl-delay: 2\nDisallow: /search # no\nAllow: /search/about\n',
    );
    expect(createRobotsFiles().verdict(rules, 'webfarer', url('/search?q=x'))).toEqual({
      allowed: false,
      line: 4,
      rule: 'robots.txt line 4 "Disallow: /search" (User-agent: *)',
      crawlDelayMs: 2_000,
    });
    expect(createRobotsFiles().verdict(rules, 'webfarer', url('/search/about'))).toMatchObject({
      allowed: true,
      line: 5,
    });
    expect(createRobotsFiles().verdict(rules, 'webfarer', url('/'))).toEqual({
      allowed: true,
      crawlDelayMs: 2_000,
    });
  });

  it('lets the file itself be read, an absent file allow and an unreachable one forbid', () => {
    expect(
      createRobotsFiles().verdict(copy('User-agent: *\nDisallow: /'), 'webfarer', url('/robots.txt')).allowed,
    ).toBe(true);
    expect(createRobotsFiles().verdict(copy('', 'absent'), 'webfarer', url('/x')).allowed).toBe(true);
    expect(createRobotsFiles().verdict(copy('', 'unreachable'), 'webfarer', url('/x')).allowed).toBe(false);
  });

  const rules = 'User-agent: *\nDisallow: /\n';
  const packed = (...encodings: string[]) =>
    encodings.map((one) => ['Content-Encoding', one] as [string, string]);

  it.each([
    ['zstd', packed('zstd'), zstdCompressSync(rules)],
    ['gzip twice', packed('gzip, gzip'), gzipSync(gzipSync(rules))],
    ['gzip twice, on two lines', packed('gzip', 'gzip'), gzipSync(gzipSync(rules))],
    ['an empty word', packed('gzip,'), gzipSync(rules)],
    ['bare deflate', packed('deflate'), deflateRawSync(rules)],
  ])('understands %s', async (_name, headers, body) => {
    const { robots } = await read({ ok: true, headers, body });
    expect(robots).toMatchObject({ copy: { state: 'rules', body: rules } });
  });

  it('takes what cannot be decoded to its end for unreachable: nothing is fetched', async () => {
    const undecodable = {
      'an encoding that nobody knows': [packed('rot13'), Buffer.from(rules)],
      'one that cannot be undone': [packed('compress'), Buffer.from(rules)],
      'what is not what it says': [packed('gzip'), Buffer.from(rules)],
      'what ends early': [packed('gzip'), gzipSync(rules.repeat(20)).subarray(0, 30)],
      'what unfolds to megabytes': [packed('gzip'), gzipSync(`${rules}${' '.repeat(4_000_000)}`)],
      'too many layers': [packed('gzip, gzip, gzip'), gzipSync(gzipSync(gzipSync(rules)))],
    } as const;
    for (const [what, [headers, body]] of Object.entries(undecodable)) {
      const { robots } = await read({ ok: true, headers, body });
      const detail = expect.any(String) as string;
      expect(robots, what).toMatchObject({ copy: { state: 'unreachable', body: '', detail } });
    }
  });

  it('follows a redirect whose address is in UTF-8', async () => {
    const location = Buffer.from('/robots-é.txt').toString('latin1');
    const { robots } = await read({ ok: true, status: 301, headers: [['Location', location]] });
    expect(robots).toMatchObject({ kind: 'redirect', url: 'https://a.example/robots-%C3%A9.txt' });
  });
});
