import { describe, expect, it } from 'vitest';
import { WebfarerError } from '../base/errors.ts';
import type { Job } from './job.ts';
import { changedFields, scopeChanged } from './changes.ts';
import { checkPolicy } from './named-policy.ts';
import { archivePlace, typedPlaces, withReach } from './object-place.ts';
import { checkJob, resolveJob } from './resolve.ts';
import { jobJsonSchema } from './schema.ts';

const seeds = ['example.org'];

describe('defaults', () => {
  it('are those of the documentation', () => {
    expect(resolveJob({ seeds })).toEqual({
      name: 'example.org',
      seeds: [{ url: 'example.org' }],
      scope: { stay: 'site', include: [], exclude: [], requisites: false },
      urlRules: [],
      labels: [],
      order: 'found',
      normalise: { enabled: true, sort: true, strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'] },
      limits: {
        pages: 5000,
        bytes: 20_000_000_000,
        durationMs: 43_200_000,
        depth: 20,
        cost: 10,
        perHost: { pages: 2000 },
        perSite: { pages: 4000 },
        minFreeBytes: 500_000_000,
      },
      politeness: {
        gapMs: 1000,
        perHost: 1,
        ownHosts: [],
        perAddress: 4,
        slowFactor: 3,
        crawlDelayMaxMs: 60_000,
        retryAfterMaxMs: 86_400_000,
        connections: 100,
        hosts: [],
      },
      robots: { obey: true, ignoreFor: [], sitemaps: true, giveUpAfterMs: 600_000, maxAgeMs: 86_400_000 },
      fetch: {
        timeoutMs: 30_000,
        maxBodyBytes: 10_000_000,
        maxDecodedBytes: 50_000_000,
        redirects: 10,
        retries: { count: 3, backoffMs: 10_000, deadAfter: 5, poisonAfter: 3 },
        types: {
          save: [
            'text/*',
            'application/xhtml+xml',
            'application/pdf',
            'application/rss+xml',
            'application/atom+xml',
            'application/rdf+xml',
            'application/feed+json',
          ],
          ignore: ['video/*'],
        },
        userAgent: 'webfarer/{version} (+{contact})',
        headers: [],
        proxy: [{ use: 'direct' }],
        credentials: [],
        allowPrivate: [],
        cookies: true,
        handlerTimeoutMs: 300_000,
        ports: 'safe',
        dns: [],
      },
      login: [],
      render: 'never',
      screenshots: [],
      pdf: false,
      steps: [],
      scraper: { kind: 'links', follow: [] },
      extract: [],
      itemKey: [],
      save: [{ kind: 'warc', rotateBytes: 1_000_000_000, dedupe: true, at: 'worker' }],
      thresholds: [],
      processes: 1,
    } satisfies Job);
  });
});

describe('resolving', () => {
  it('drops limits that are switched off', () => {
    const { limits } = resolveJob({
      seeds,
      limits: {
        pages: 'none',
        bytes: 'none',
        duration: 'none',
        depth: 'none',
        cost: 'none',
        perHost: { pages: 'none' },
      },
    });
    expect(limits).toEqual({ perHost: {}, perSite: { pages: 4000 }, minFreeBytes: 500_000_000 });
  });

  it.each([
    ['site', { kind: 'site', check: true }],
    [{ site: { check: false } }, { kind: 'site', check: false }],
    [{ links: { follow: ['/p/*'] } }, { kind: 'links', follow: ['/p/*'] }],
    [{ links: { follow: [{ regex: 'p$' }] } }, { kind: 'links', follow: [{ regex: 'p$' }] }],
    [
      { ids: { find: 'ID-(\\d+)', template: 'https://a.example/{id}' } },
      { kind: 'ids', find: 'ID-(\\d+)', template: 'https://a.example/{id}' },
    ],
    ['./mine.ts', { kind: 'module', path: './mine.ts' }],
    ['mine.mjs', { kind: 'module', path: 'mine.mjs' }],
  ])('scraper %j', (scraper, expected) => {
    expect(resolveJob({ seeds, scraper, contact: 'me@a.example' }).scraper).toEqual(expected);
  });

  it.each([
    [
      ['warc', 'files', 'tar'],
      [
        { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
        { kind: 'files', name: '{host}/{path}' },
        { kind: 'tar', name: '{host}/{path}', compress: 'none' },
      ],
    ],
    [[{ tar: { name: '{n}', gzip: true } }], [{ kind: 'tar', name: '{n}', compress: 'gz' }]],
    [[{ tar: { name: '{n}', compress: 'zst' } }], [{ kind: 'tar', name: '{n}', compress: 'zst' }]],
    [
      ['markdown'],
      [{ kind: 'markdown', as: 'files', name: '{host}/{path}', main: true, content: 'markdown' }],
    ],
    [
      [{ warc: { at: 's3://archive/museums/', s3: { endpoint: 'https://s3.example.org/', timeout: '5s' } } }],
      [
        {
          kind: 'warc',
          rotateBytes: 1e9,
          dedupe: true,
          at: 'objects',
          objects: {
            address: 's3://archive/museums',
            endpoint: 'https://s3.example.org',
            timeoutMs: 5_000,
          },
        },
      ],
    ],
    [
      [{ warc: { storage: 'archive' } }],
      [{ kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'objects', storage: 'archive' }],
    ],
    [['redis'], [{ kind: 'redis', key: 'webfarer:{crawl}:page:{hash}', maxBodyBytes: 10_000_000 }]],
    [['none'], [{ kind: 'none' }]],
    [['./saver.ts'], [{ kind: 'module', path: './saver.ts' }]],
  ])('save %j', (save, expected) => expect(resolveJob({ seeds, save }).save).toEqual(expected));

  it.each(['s3://key:secret@archive', 's3://', 's3://a/b?c', 'http://x/y', 'file://host/x', 'disk'])(
    'takes no archive at %s',
    (at) => expect(() => resolveJob({ seeds, save: [{ warc: { at } }] })).toThrow('s3://BUCKET/PREFIX'),
  );

  it('takes no credentials in the endpoint of object storage', () => {
    const s3 = { endpoint: 'https://key:secret@s3.example.org' };
    expect(() => resolveJob({ seeds, save: [{ warc: { at: 's3://archive', s3 } }] })).toThrow(
      'without credentials',
    );
  });

  it('keeps with a place whether it may have a private address', () => {
    const place = (s3: object) =>
      resolveJob({ seeds, save: [{ warc: { at: 's3://archive', s3 } }] }) satisfies Job;
    const allowed = (job: Job) => archivePlace(job, { id: 'x', nonce: '' })?.allowPrivate;
    expect(allowed(place({}))).toBeUndefined();
    expect(allowed(withReach(place({}), false))).toBe(false);
    expect(allowed(withReach(place({ allowPrivate: true }), false))).toBe(true);
    expect(typedPlaces({ save: ['warc', { warc: { at: 's3://a-b' } }, { warc: { at: 'worker' } }] })).toEqual(
      {
        save: ['warc', { warc: { at: 's3://a-b', s3: { allowPrivate: true } } }, { warc: { at: 'worker' } }],
      },
    );
    expect(() =>
      archivePlace(resolveJob({ seeds, save: [{ warc: { storage: 'x' } }] }), { id: 'x', nonce: '' }),
    ).toThrow('The storage x is not known here.');
  });

  it('reads host names as URLs have them', () => {
    const { robots } = resolveJob({ seeds, robots: { obey: false, ignoreFor: ['BÜCHER.example', '[::1]'] } });
    expect(robots.ignoreFor).toEqual(['xn--bcher-kva.example', '[::1]']);
    expect(checkJob({ seeds, robots: { obey: false, ignoreFor: ['a.example:80'] } }).ok).toBe(false);
  });

  it('reads what may be private as origins and ranges', () => {
    const allow = (...allowPrivate: string[]) =>
      resolveJob({ seeds, fetch: { allowPrivate } }).fetch.allowPrivate;
    expect(allow('localhost:3000')).toEqual(['http://localhost:3000', 'https://localhost:3000']);
    expect(allow('http://LOCALHOST:80', '10.0.0.0/8', 'fd00::/8')).toEqual([
      'http://localhost',
      '10.0.0.0/8',
      'fd00::/8',
    ]);
    expect(allow('[::1]:81')).toEqual(['http://[::1]:81', 'https://[::1]:81']);
    for (const wrong of ['http://a.example/x', 'a b', 'ftp://a.example', ''])
      expect(() => allow(wrong)).toThrow('allowPrivate[0]');
  });

  it('names a crawl after its first seed', () => {
    expect(resolveJob({ seeds: [{ file: 'x' }, 'https://www.a.example/x'] }).name).toBe('a.example');
    expect(resolveJob({ seeds: [{ file: 'x' }] }).name).toBe('crawl');
  });

  it('throws one error with every problem', () => {
    const attempt = () => resolveJob({ seeds, limits: { pages: -1 }, foo: 1 });
    expect(attempt).toThrow(WebfarerError);
    expect(attempt).toThrow(
      'The job is not valid:\n  limits.pages: must be at least 0\n  foo: unknown field "foo"',
    );
  });
});

describe('contact', () => {
  it.each([
    [{ seeds: ['a.example', 'www.a.example'] }, true],
    [{ seeds: ['a.example', 'b.example'] }, false],
    [{ seeds: ['me.github.io', 'you.github.io'] }, false],
    [{ seeds: ['http://127.0.0.1:81/', 'http://localhost:82/', 'http://[::1]/', 'a.example'] }, true],
    [{ seeds: ['http://127.0.0.1/', 'a.example', 'b.example'] }, false],
    [{ seeds, scope: { stay: 'web' } }, false],
    [{ seeds, scope: { requisites: true } }, false],
    [{ seeds, scraper: 'site' }, false],
    [{ seeds, scraper: { site: { check: false } } }, true],
    [{ seeds, scope: { stay: 'web' }, contact: 'me@a.example' }, true],
    [{ seeds, scope: { stay: 'web' }, contact: 'https://a.example/bot' }, true],
    [{ seeds, scope: { stay: 'web' }, contact: 'https://a.example/bot', fetch: { userAgent: 'x/1' } }, false],
  ])('%j: %s', (input, ok) => expect(checkJob(input).ok).toBe(ok));

  it('has its own code when nothing else is wrong', () => {
    const code = (input: unknown) => {
      try {
        resolveJob(input);
      } catch (error) {
        return error instanceof WebfarerError ? error.code : undefined;
      }
      return undefined;
    };
    expect(code({ seeds, scope: { stay: 'web' } })).toBe('contact-missing');
    expect(code({ seeds, scope: { stay: 'web' }, politeness: { perHost: 2 } })).toBe('job-invalid');
  });
});

describe('changes', () => {
  const before = resolveJob({ seeds, scope: { exclude: ['/a'] } });
  it('are named by field', () => {
    const after = resolveJob({
      seeds,
      scope: { exclude: ['/b'] },
      limits: { pages: 7, depth: 'none' },
      contact: 'a@b.example',
    });
    expect(changedFields(before, after).sort()).toEqual([
      'contact',
      'limits.depth',
      'limits.pages',
      'scope.exclude',
    ]);
    expect(scopeChanged(before, after).sort()).toEqual(['limits.depth', 'scope.exclude']);
  });
  it('are none when nothing changed', () => {
    expect(changedFields(before, structuredClone(before))).toEqual([]);
    const polite = resolveJob({ seeds, scope: { exclude: ['/a'] }, politeness: { gap: '5s' } });
    expect(scopeChanged(before, polite)).toEqual([]);
    // As the job file writes it, not as it is kept.
    expect(changedFields(before, polite)).toEqual(['politeness.gap']);
  });
});

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
  additionalProperties?: unknown;
}

describe('the JSON Schema', () => {
  const schema = jobJsonSchema();
  it('is draft-07, as editors want it', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema['required']).toEqual(['seeds']);
  });

  it('describes every field and closes every object', () => {
    const bare: string[] = [];
    const walk = (node: Node, path: string) => {
      if (node.properties !== undefined && node.additionalProperties !== false) bare.push(`${path} is open`);
      for (const [key, child] of Object.entries(node.properties ?? {})) {
        if (child.description === undefined) bare.push(`${path}.${key}`);
        walk(child, `${path}.${key}`);
      }
      for (const child of [...(node.anyOf ?? []), ...(node.items === undefined ? [] : [node.items])])
        walk(child, path);
    };
    walk(schema as Node, '');
    expect(bare).toEqual([]);
  });
});

it('takes at most 100 regular expressions, wherever they are, and makes none of more', () => {
  const exclude = Array.from({ length: 98 }, (_, n) => ({ regex: `/${n}$` }));
  const extract = [{ fields: { id: { regex: 'ID-(\\d+)' } } }];
  const ids = (of: number) => ({
    seeds,
    scope: { exclude },
    extract: Array.from({ length: of }, () => extract).flat(),
    scraper: { ids: { find: '\\d+', template: 'https://example.org/{id}' } },
  });
  expect(checkJob(ids(1))).toMatchObject({ ok: true });
  const message = expect.stringMatching(
    /^the job has 101 regular expressions, and 100 are the most/,
  ) as string;
  expect(checkJob(ids(2))).toEqual({ ok: false, problems: [{ path: ['scope'], message }] });
  const unusable = Array.from({ length: 101 }, () => ({ regex: '(?=never read)' }));
  expect(checkPolicy({ scope: { exclude: unusable } })).toEqual({
    ok: false,
    problems: [{ path: ['scope'], message }],
  });
});

it('takes own hosts with a port, which politeness does not tell apart', () => {
  const own = (...ownHosts: string[]) =>
    resolveJob({ seeds, politeness: { perHost: 2, ownHosts } }).politeness;
  expect(own('LOCALHOST:3000', 'a.example', '[::1]:81').ownHosts).toEqual([
    'localhost',
    'a.example',
    '[::1]',
  ]);
  expect(() => own('http://a.example')).toThrow('ownHosts[0]');
  expect(() => own('a.example:99999999')).toThrow('ownHosts[0]');
});

it('fetches requisites for a mirror, which needs bodies and a contact', () => {
  const contact = 'me@example.org';
  expect(resolveJob({ seeds, contact, mirror: {} })).toMatchObject({
    mirror: {},
    scope: { requisites: true },
  });
  expect(resolveJob({ seeds, mirror: { folder: 'x' }, scope: { requisites: false } })).toMatchObject({
    mirror: { folder: 'x' },
    scope: { requisites: false },
  });
  expect(() => resolveJob({ seeds, mirror: {} })).toThrow('contact');
  expect(() => resolveJob({ seeds, contact, mirror: {}, save: ['none'] })).toThrow('mirror: needs a saver');
});

it('takes extensions and content types for files', () => {
  const contact = 'me@example.org';
  const { files } = resolveJob({ seeds, contact, files: { types: ['pdf', 'JPEG', 'image/*'] } });
  expect(files).toEqual({ types: ['application/pdf', 'image/jpeg', 'image/*'], from: ['**'] });
  expect(() => resolveJob({ seeds, files: { types: ['pdf'] } })).toThrow('contact');
  expect(() => resolveJob({ seeds, contact, files: { types: ['nonsense'] } })).toThrow(
    'an extension such as pdf',
  );
  expect(() => resolveJob({ seeds, contact, files: { types: ['pdf'] }, save: ['files'] })).toThrow(
    'same folder',
  );
});
