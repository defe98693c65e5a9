import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Edge, type Entry, type EntryKind, type Settlement, type Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { unpackEdges } from '@webfarer/protocol/link';
import { describe, expect, it } from 'vitest';
import type { CrawlContext } from '../context/context.ts';
import type { FetchedPage, RenderedPage } from '../fetch/fetch.ts';
import { settlePage, type SettleOptions } from './pipeline.ts';
import { noTracing } from '../tracing/tracing.ts';
import { createTurnstile } from '../turnstile/turnstile.ts';
import { contextFor } from '../crawls/crawl-context.fixture.ts';

const start = 'https://a.example/' as Url;

function contextWith(requisites: boolean, maxDecoded: string): CrawlContext {
  const job = resolveJob({
    seeds: [start],
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host', requisites },
    fetch: { maxDecoded },
  });
  return contextFor(job, [start]);
}

interface Given {
  type: string;
  body: string | Buffer;
  encoding?: string;
  kind?: EntryKind;
  path?: string;
  hops?: number;
  requisites?: boolean;
  headers?: [string, string][];
  /** What a browser made of it. */
  shown?: string;
  /** What the patterns of the job take for each link. */
  patternsMs?: number;
  maxDecoded?: string;
}

/** The same context, where it takes time to decide about a link. */
function slowed(context: CrawlContext, ms: number): CrawlContext {
  const { decide } = context.scope;
  const slow: typeof decide = (link) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    return decide(link);
  };
  return { ...context, scope: { decide: slow } };
}

function edgesOf({ url, edges }: Extract<Settlement, { kind: 'outcome' }>): Edge[] {
  return 'packed' in edges ? unpackEdges(url, edges.packed) : edges;
}

function renderedAs(html: string): RenderedPage {
  const nothing = { movedTo: undefined, restless: false, errors: [], leftOut: [], pictures: [] };
  return { html, own: html, durationMs: 1, picture: () => Promise.resolve(undefined), ...nothing };
}

/** How the settling of a page of this content ends. */
async function outcomeOf({
  type,
  body,
  encoding,
  kind = 'page',
  path = '',
  hops = 0,
  requisites = true,
  headers = [],
  shown,
  patternsMs = 0,
  maxDecoded = '50MB',
}: Given) {
  const entry: Entry = { url: `${start}${path}` as Url, kind, depth: 3, cost: 0, hops, attempt: 0 };
  const page = answerOf(entry, { type, body, encoding, headers, shown });
  // No saver and no previous crawl: neither storage nor the coordinator is asked.
  const parts = { largePages: createTurnstile(1), tracing: noTracing } as SettleOptions['parts'];
  const outcome = await settlePage({
    context: slowed(contextWith(requisites, maxDecoded), patternsMs),
    entry,
    page,
    parts,
  });
  if (outcome.kind !== 'outcome') throw new Error(`not an outcome: ${outcome.kind}`);
  return outcome;
}

type Answered = Pick<Given, 'type' | 'body' | 'headers'> & {
  encoding?: string | undefined;
  shown?: string | undefined;
};

/** The answer to a request for a URL. */
function answerOf(entry: Entry, { type, body, encoding, headers = [], shown }: Answered) {
  const page: FetchedPage = {
    ok: true,
    url: entry.url,
    others: [],
    rendered: shown === undefined ? undefined : renderedAs(shown),
    release: () => undefined,
    status: 200,
    statusText: 'OK',
    headers: [
      ['Content-Type', type],
      ...(encoding ? ([['Content-Encoding', encoding]] as [string, string][]) : []),
      ...headers,
    ],
    requestHead: '',
    body: Buffer.from(body),
    unread: false,
    startedAtMs: 0,
    durationMs: 1,
  };
  return page;
}

/** What a page of this content yields: `kind depth hops URL` of each offer, and the rels of its edges. */
async function settled(given: Given) {
  const outcome = await outcomeOf(given);
  return {
    offers: outcome.offers.map((offer) => `${offer.kind} ${offer.depth} ${offer.hops} ${offer.url}`),
    rels: edgesOf(outcome).map(({ rel }) => rel),
    dropped: outcome.dropped,
    truncated: outcome.record.truncated,
  };
}

describe('what is kept', () => {
  /** Names of savers' files for an answer, and the signals that its record has. */
  async function keptOf(
    kind: EntryKind,
    { status = 200, type = 'text/html', body = 'x', headers = [] }: KeptCase,
  ) {
    const saved: string[] = [];
    const saver = { save: (capture: { entry: Entry }) => void saved.push(capture.entry.url) };
    const context = { ...contextWith(true, '50MB'), savers: [saver] } as unknown as CrawlContext;
    const entry: Entry = { url: start, kind, depth: 1, cost: 0, hops: 0, attempt: 0 };
    const storage = { attempt: (save: () => unknown) => save() };
    const page = answerOf(entry, { type, body, headers });
    const parts = {
      largePages: createTurnstile(1),
      tracing: noTracing,
      storage,
    } as unknown as SettleOptions['parts'];
    const unread = kind === 'check';
    const outcome = await settlePage({ context, entry, page: { ...page, status, unread }, parts });
    if (outcome.kind !== 'outcome') throw new Error(`not an outcome: ${outcome.kind}`);
    return { saved: saved.length, verdict: outcome.record.verdict, signals: outcome.record.signals };
  }
  interface KeptCase {
    status?: number;
    type?: string;
    body?: string;
    headers?: [string, string][];
  }
  const noarchive: [string, string][] = [['X-Robots-Tag', 'noarchive']];
  const signals = ['X-Robots-Tag: noarchive'];

  it('is nothing of a link that was only asked whether it is there', async () => {
    expect(await keptOf('check', {})).toMatchObject({ saved: 0, verdict: 'done' });
    expect(await keptOf('page', {})).toMatchObject({ saved: 1, verdict: 'done' });
  });

  it.each<[string, EntryKind, KeptCase]>([
    ['a page', 'page', {}],
    ['an image', 'requisite', { type: 'image/png' }],
    ['an error', 'page', { status: 404 }],
    ['a redirect', 'page', { status: 301, headers: [['Location', '/x']] }],
    ['a sitemap', 'sitemap', { type: 'text/xml', body: '<urlset/>' }],
  ])('is nothing of %s whose header says noarchive, and the record says why', async (_name, kind, given) => {
    const { headers = [] } = given;
    expect(await keptOf(kind, given)).toMatchObject({ saved: 1, signals: undefined });
    const asked = { ...given, headers: [...headers, ...noarchive] };
    expect(await keptOf(kind, asked)).toMatchObject({ saved: 0, signals });
  });
});

it('a query is asked for in the encoding of its page', async () => {
  const type = 'text/html; charset=windows-1251';
  const body = Buffer.from('<a href="/\xef?q=\xef">', 'latin1');
  const { offers } = await settled({ type, body });
  expect(offers).toEqual(['page 4 0 https://a.example/%D0%BF?q=%EF']);
});

describe('a style sheet', () => {
  const sheet: Given = {
    type: 'text/css; charset=utf-8',
    kind: 'requisite',
    path: 'css/main.css',
    body: '@import "more.css"; a{background:url(../i/x.png)} @font-face{src:url(//cdn.example/f.woff2)}',
  };

  it('asks for what it shows, from any host, as deep as the page', async () => {
    expect(await settled(sheet)).toEqual({
      offers: [
        'requisite 3 1 https://a.example/css/more.css',
        'requisite 3 1 https://a.example/i/x.png',
        'requisite 3 1 https://cdn.example/f.woff2',
      ],
      rels: ['css:import', 'css', 'css'],
      dropped: {},
    });
  });

  it('that leads to the next without end is left at the limit of redirects', async () => {
    const { redirects } = contextWith(true, '50MB').job.fetch;
    const { offers, dropped } = await settled({ ...sheet, hops: redirects });
    expect(offers).toEqual([]);
    expect(dropped).toEqual({ 'redirect-limit': 3 });
  });

  it('is not what an image is, or a page of that type', async () => {
    expect((await settled({ ...sheet, type: 'image/svg+xml' })).offers).toEqual([]);
    expect((await settled({ ...sheet, kind: 'page' })).offers).toEqual([]);
  });
});

describe('styles of a page', () => {
  const body = '<style>@import "a.css";</style><p style="background:url(b.png)"><a href=c>d</a>';

  it('are requisites where these are wanted', async () => {
    const { offers, rels } = await settled({ type: 'text/html', body });
    expect(offers).toEqual([
      'requisite 3 0 https://a.example/a.css',
      'requisite 3 0 https://a.example/b.png',
      'page 4 0 https://a.example/c',
    ]);
    expect(rels).toEqual(['css:import', 'css', 'a']);
  });

  it('are not looked at where they are not', async () => {
    const { offers, rels } = await settled({ type: 'text/html', body, requisites: false });
    expect(offers).toEqual(['page 4 0 https://a.example/c']);
    expect(rels).toEqual(['a']);
  });
});

describe('a packed page', () => {
  const packed = { type: 'text/html', encoding: 'gzip' };
  // Noise keeps it below the ratio at which unpacking itself ends.
  const padded = (bytes: number): string =>
    `<a href=/first>1</a>${randomBytes(50_000).toString('hex')}${' '.repeat(bytes)}<a href=/last>2</a>`;

  it('is read whole as far as a plain one would be', async () => {
    const { offers, truncated } = await settled({ ...packed, body: gzipSync(padded(9_000_000)) });
    expect(offers).toEqual(['page 4 0 https://a.example/first', 'page 4 0 https://a.example/last']);
    expect(truncated).toBeUndefined();
  });

  it('that unfolds to more is read so far, and its record says so', async () => {
    const { offers, truncated } = await settled({ ...packed, body: gzipSync(padded(10_500_000)) });
    expect(offers).toEqual(['page 4 0 https://a.example/first']);
    expect(truncated).toBe('length');
  });

  it('is read as far as the job allows, however little that is', async () => {
    const body = gzipSync(padded(0));
    const { offers, truncated } = await settled({ ...packed, body, maxDecoded: '40kB' });
    expect(offers).toEqual(['page 4 0 https://a.example/first']);
    expect(truncated).toBe('length');
  });

  it('whose end never came is read so far, and its record says so', async () => {
    const { offers, truncated } = await settled({ ...packed, body: gzipSync(padded(0)).subarray(0, 30_000) });
    expect(offers).toEqual(['page 4 0 https://a.example/first']);
    expect(truncated).toBe('disconnect');
  });
});

it('the links of a feed are followed', async () => {
  const body =
    '<rss><channel><item><link>https://a.example/news</link></item><item><link>https://b.example/</link></item></channel></rss>';
  const { offers, rels, dropped } = await settled({ type: 'application/rss+xml', body });
  expect(offers).toEqual(['page 4 0 https://a.example/news']);
  expect(rels).toEqual(['feed', 'feed']);
  expect(dropped).toEqual({ scope: 1 });
});

it('the URLs of a sitemap are offered, in any number of batches', async () => {
  const urls = Array.from({ length: 3_000 }, (_, n) => `<url><loc>https://a.example/${n}</loc></url>`);
  const body = `<urlset>${urls.join('')}<url><loc>nonsense:x</loc></url></urlset>`;
  const { offers, dropped } = await settled({ type: 'application/xml', kind: 'sitemap', body });
  expect(offers).toHaveLength(3_000);
  expect(offers.at(-1)).toBe('page 4 0 https://a.example/2999');
  expect(dropped).toEqual({ scheme: 1 });
});

describe('the record of a page', () => {
  it('holds what it says of itself and what its bytes speak for', async () => {
    const page = {
      type: 'text/plain',
      body: '<!doctype html><html lang=de_AT>',
      headers: [['Server', 'nginx']],
    };
    const { record } = await outcomeOf(page as Given);
    expect(record).toMatchObject({ mime: 'text/plain', mimeDetected: 'text/html', server: 'nginx' });
    const html = await outcomeOf({ ...page, type: 'text/html' } as Given);
    expect(html.record).toMatchObject({ mime: 'text/html', language: 'de-at' });
    expect(html.record).not.toHaveProperty('mimeDetected');
  });

  it('takes the language of a header where the page is silent, and no rubbish', async () => {
    const body = '<!doctype html><p>';
    const said = (value: string) =>
      outcomeOf({ type: 'text/html', body, headers: [['Content-Language', value]] }).then(
        ({ record }) => record.language,
      );
    expect(await said('pt-BR, en')).toBe('pt-br');
    expect(await said('{{ lang }}')).toBeUndefined();
  });

  it('says that it looks empty without JavaScript, unless it had JavaScript', async () => {
    const body = '<!doctype html><div id=app></div><script src=/app.js></script>';
    const plain = await outcomeOf({ type: 'text/html', body });
    expect(plain.record.looksEmpty).toBe(true);
    const { record } = await outcomeOf({ type: 'text/html', body, shown: `${body}<p>Drawn.` });
    expect(record.rendered).toBeDefined();
    expect(record).not.toHaveProperty('looksEmpty');
  });
});

it.each([
  ['requisites of a page', { type: 'text/html', body: '<img src=/i>' }],
  ['parts of a style sheet', { type: 'text/css', kind: 'requisite', body: 'a{b:url(/i)}' }],
  [
    'URLs of a sitemap',
    {
      type: 'text/xml',
      kind: 'sitemap',
      body: '<urlset><url><loc>https://a.example/i</loc></url></urlset>',
    },
  ],
] satisfies [string, Given][])('others have their turn while patterns are tried on %s', async (_, given) => {
  const [, before = '', link = '', after = ''] = /^(<urlset>|)(.*?)(<\/urlset>|)$/.exec(given.body) ?? [];
  const body = Array.from({ length: 60 }, (_each, at) => link.replace('/i', `/i${at}`)).join('');
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { offers } = await settled({ ...given, body: before + body + after, patternsMs: 5 });
  isOver = true;
  expect(offers).toHaveLength(60);
  expect(turns).toBeGreaterThan(10);
});
