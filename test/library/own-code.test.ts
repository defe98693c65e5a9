import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CrawlEvent, type CrawlOptions, crawl } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type SmallSite, startSmallSite } from './small-site.ts';

const place = /\(test\/library\/own-code\.test\.ts:\d+:\d+\)/;
const links = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join('\n');
const pages = {
  '/': links('/good', '/bad', '/gone', '/out/1'),
  '/good': 'good',
  '/bad': links('/out/2'),
  '/gone': { status: 500, body: 'gone' },
  '/bad/throws': 'not saved',
};
let folder: string;
let site: SmallSite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-own-code-'));
  site = await startSmallSite(pages);
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** How each page ended, in a crawl that comes to its end whatever the code of its user does. */
async function endsOf(
  options: Partial<CrawlOptions>,
  onEvent: (event: CrawlEvent | { type: 'events-missed' }) => void = () => undefined,
): Promise<Record<string, string>> {
  const run = crawl({
    name: 'own',
    folder: join(folder, 'own.crawl'),
    seeds: [`${site.origin}/`],
    scope: { exclude: ['**/out/**'] },
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 0 }, handlerTimeout: '500ms' },
    limits: { minFree: '1MB' },
    ...options,
  } as CrawlOptions);
  for await (const event of run) onEvent(event);
  const { records, state } = await run;
  expect(state).toBe('finished');
  const ends: Record<string, string> = {};
  for await (const { url, verdict, reason, detail } of records)
    ends[new URL(url).pathname] = [verdict, reason, detail].filter(Boolean).join(' ');
  return ends;
}

const isBad = (url: string) => new URL(url).pathname === '/bad';
const fine = { '/': 'done ok', '/good': 'done ok', '/gone': 'failed http-5xx' };

describe('an item that cannot be stored', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const throwing = {
    toJSON() {
      throw new Error('no JSON');
    },
  };
  it.each([
    ['a bigint', { views: 10n }, /BigInt/],
    ['a circle', circular, /circular/],
    ['a function', () => 1, /not a function/],
    ['code that throws', throwing, /no JSON \(test\/library/],
    ['a promise', { late: new Promise(() => undefined) }, /late is a promise: await it first/],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no value');
        },
      },
      /no value \(test\/library/,
    ],
  ])('is the trouble of its page alone: %s', async (_, item, detail) => {
    const ends = await endsOf({
      onPage: (page, { push, follow }) => (isBad(page.url) ? push(item) : follow(page.links.matching('/**'))),
    });
    expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok' });
    expect(ends['/bad']).toMatch(/^failed item-invalid/);
    expect(ends['/bad']).toMatch(detail);
  });

  it('is stored as what JSON makes of it where that is something', async () => {
    const at = new Date(0);
    await endsOf({
      onPage: (page, { push, follow }) =>
        isBad(page.url)
          ? push({ at, none: Number.NaN, gone: undefined })
          : follow(page.links.matching('/**')),
    });
    const lines = readFileSync(join(folder, 'own.crawl', 'items.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(
      lines.map((line) => (JSON.parse(line) as { item?: unknown }).item ?? (JSON.parse(line) as unknown)),
    ).toMatchObject([{ at: at.toISOString(), none: null }]);
  });
});

describe('code that throws or rejects is the trouble of its page alone', () => {
  const follow: NonNullable<CrawlOptions['onPage']> = (page, tools) =>
    tools.follow(page.links.matching('/**'));

  it('a schema that throws, at once or later', async () => {
    const refuse = (value: unknown) => {
      throw new Error(`no schema for ${String(value)}`);
    };
    const late = { version: 1, vendor: 'lab', validate: async (value: unknown) => refuse(value) } as const;
    for (const items of [z.any().transform(refuse), { '~standard': late }]) {
      rmSync(join(folder, 'own.crawl'), { recursive: true, force: true });
      const ends = await endsOf({
        items: items as never,
        onPage: (page, tools) => (isBad(page.url) ? tools.push('it') : follow(page, tools)),
      });
      expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok' });
      expect(ends['/bad']).toMatch(/^failed handler items: no schema for it/);
      expect(ends['/bad']).toMatch(place);
    }
  });

  it('a schema that never answers', async () => {
    const never = { version: 1, vendor: 'lab', validate: () => new Promise(() => undefined) } as const;
    const ends = await endsOf({
      items: { '~standard': never } as never,
      onPage: (page, tools) => (isBad(page.url) ? tools.push('it') : follow(page, tools)),
    });
    expect(ends['/bad']).toBe('failed handler-timeout items: not done after 0.5 s');
  });

  it('code that throws what cannot be looked at', async () => {
    const refuse = (): never => {
      throw new Error('never read');
    };
    const hostile = new Proxy({}, { get: refuse, getPrototypeOf: refuse });
    const ends = await endsOf({
      onPage: (page, tools) => {
        if (isBad(page.url)) throw hostile;
        return follow(page, tools);
      },
    });
    expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok' });
    expect(ends['/bad']).toBe('failed handler something that cannot be read was thrown');
  });

  it('a saver that throws', async () => {
    process.env.LAB_CALL = 'saver.save';
    try {
      const ends = await endsOf({
        save: [resolve(import.meta.dirname, '../user-code/saver.ts')] as never,
        seeds: [`${site.origin}/`, `${site.origin}/bad/throws`],
      });
      expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok' });
      expect(ends['/bad/throws']).toMatch(/^failed handler saver lab: own bug \(test\/user-code\/ways\.ts/);
    } finally {
      delete process.env.LAB_CALL;
    }
  });

  const bug = (url: string) => {
    if (url.endsWith('/out/2') || url.endsWith('/gone')) throw new Error('hook bug');
  };
  it.each([
    ['an onSkipped that throws', bug],
    ['an onSkipped that rejects', async (url: string) => bug(url)],
  ])('%s', async (_, onSkipped) => {
    const ends = await endsOf({ onSkipped });
    expect(ends).toMatchObject(fine);
    expect(ends['/bad']).toMatch(/^failed handler onSkipped: hook bug/);
    expect(ends['/bad']).toMatch(place);
  });

  it.each([
    ['an onFailed that throws', bug, place],
    ['an onFailed that rejects', async (url: string) => bug(url), place],
    ['an onFailed that never ends', () => new Promise<void>(() => undefined), /not done after 0\.5 s/],
  ])('%s', async (_, onFailed, detail) => {
    const ends = await endsOf({ onFailed });
    expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok', '/bad': 'done ok' });
    expect(ends['/gone']).toMatch(/^failed http-5xx onFailed: /);
    expect(ends['/gone']).toMatch(detail);
  });

  it.each([
    [
      'a normalise that throws',
      (url: string) => decodeURIComponent(url.endsWith('/out/2') ? '%' : url),
      /^failed handler normalise: URIError/,
    ],
    [
      'a normalise that returns nothing',
      (url: string) => (url.endsWith('/out/2') ? undefined : url) as string,
      /^failed handler normalise: TypeError: it returned undefined/,
    ],
  ])('%s', async (_, normalise, detail) => {
    const ends = await endsOf({ normalise });
    expect(ends).toMatchObject(fine);
    expect(ends['/bad']).toMatch(detail);
  });

  it('a normalise that throws on a sitemap of robots.txt', async () => {
    await site.stop();
    const named = [1, 2].map((n) => `Sitemap: http://127.0.0.1/map-${n}.xml`);
    const robots = { status: 200, body: ['User-agent: *', 'Allow: /', ...named].join('\n') };
    site = await startSmallSite({ ...pages, '/robots.txt': robots });
    const details: (string | undefined)[] = [];
    const ends = await endsOf(
      {
        normalise(url) {
          if (url.endsWith('/map-1.xml')) throw new Error('no maps');
          return url;
        },
      },
      (event) => void (event.type === 'robots' && details.push(event.detail)),
    );
    expect(ends).toMatchObject({ ...fine, '/bad': 'done ok' });
    expect(details[0]).toMatch(/^sitemap http:\/\/127\.0\.0\.1\/map-1\.xml: normalise: no maps/);
  });

  it.each([
    ['an onRequest that throws', bug, /^failed handler onRequest: hook bug/],
    ['an onRequest that is asynchronous', async () => undefined, /^failed handler onRequest: .*asynchronous/],
  ])('%s', async (_, onRequest, detail) => {
    const ends = await endsOf({
      onRequest: (url) => (url.endsWith('/gone') ? onRequest(url) : undefined) as void,
    });
    expect(ends).toMatchObject({ '/': 'done ok', '/good': 'done ok', '/bad': 'done ok' });
    expect(ends['/gone']).toMatch(detail);
  });
});
