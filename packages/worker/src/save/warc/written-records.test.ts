import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SavedAt, systemClock, type Url } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { captureOf } from '../capture.fixture.ts';
import type { Capture, Saver } from '../saver.ts';
import { validateWarc } from '../../archive/warc/validate-warc.ts';
import { warcSaver, type WarcSaverOptions } from './warc-saver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-records-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function saved(captures: Capture[], options: Partial<WarcSaverOptions> = {}): Promise<SavedAt[]> {
  const saver: Saver = warcSaver({
    folder,
    name: 'x',
    clock: systemClock(),
    software: 'webfarer/test',
    ...options,
  });
  await saver.start();
  const places: SavedAt[] = [];
  for (const capture of captures) {
    const at = await saver.save(capture);
    if (at) places.push(at);
  }
  await saver.stop();
  return places;
}

async function records(file: string) {
  const found = [];
  for await (const record of new WARCParser(createReadStream(join(folder, file)))) {
    const payload = Buffer.from((await record.readFully(true)) ?? []);
    found.push({
      type: record.warcType,
      header: (name: string) => record.warcHeader(name),
      http: record.httpHeaders?.headers as Headers | undefined,
      text: payload.toString(),
    });
  }
  return found;
}

const long = 'the same text '.repeat(500);
const capture = (path: string, parts: Parameters<typeof captureOf>[0] = {}) =>
  captureOf({ url: `http://example.test/${path}`, body: long, ...parts });

describe('revisit records', () => {
  it('refers to the capture that holds the same body', async () => {
    const startedAtMs = Date.UTC(2025, 0, 3);
    const [first, again] = await saved([
      capture('first'),
      capture('again', { startedAtMs, headers: [['X-Own', 'yes']] }),
    ]);
    expect(first?.revisit).toBeUndefined();
    expect(again?.revisit).toEqual({
      url: 'http://example.test/first',
      startedAtMs: Date.UTC(2025, 0, 2, 3, 4, 5, 678),
      digest: capture('x').digest,
      original: {
        file: first?.file,
        offset: first?.offset,
        length: first?.length,
        status: 200,
        mime: 'text/html',
      },
    });
    expect(again?.length).toBeLessThan(1_000);
    const all = await records(first?.file ?? '');
    const [response] = all.filter((record) => record.type === 'response');
    const [revisit] = all.filter((record) => record.type === 'revisit');
    expect(all).toHaveLength(7);
    expect(revisit?.header('WARC-Profile')).toBe(
      'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    );
    expect(revisit?.header('WARC-Refers-To')).toBe(response?.header('WARC-Record-ID'));
    expect(revisit?.header('WARC-Refers-To-Target-URI')).toBe('http://example.test/first');
    expect(revisit?.header('WARC-Refers-To-Date')).toBe(response?.header('WARC-Date'));
    expect(revisit?.header('WARC-Payload-Digest')).toBe(response?.header('WARC-Payload-Digest'));
    expect(revisit?.header('WARC-Date')).toBe('2025-01-03T00:00:00.000Z');
    expect(revisit?.http?.get('x-own')).toBe('yes');
    expect(await validateWarc(join(folder, first?.file ?? ''))).toMatchObject({ ok: true, records: 7 });
  });

  it('writes whole what is small, cut, an error, of another type, or not to be shared', async () => {
    const whole = async (...captures: Capture[]) =>
      (await saved(captures)).every((at) => at.revisit === undefined);
    expect(await whole(capture('a', { body: 'small' }), capture('b', { body: 'small' }))).toBe(true);
    expect(await whole(capture('a'), capture('b', { truncated: 'length' }))).toBe(true);
    expect(await whole(capture('a', { truncated: 'length' }), capture('b'))).toBe(true);
    expect(await whole(capture('a', { status: 404 }), capture('b', { status: 404 }))).toBe(true);
    expect(await whole(capture('a'), capture('b', { mime: 'text/plain' }))).toBe(true);
    expect(await whole(capture('a'), capture('b', { headers: [['Content-Encoding', 'gzip']] }))).toBe(true);
    const twice = await saved([capture('a'), capture('b')], { dedupe: false });
    expect(twice.every((at) => at.revisit === undefined)).toBe(true);
  });

  it('refers to the previous crawl where nothing changed', async () => {
    const url = 'http://example.test/a' as Url;
    const previous = { url, startedAtMs: Date.UTC(2024, 0, 1), digest: capture('a').digest };
    const [same, unchanged, changed] = await saved([
      { ...capture('a'), previous },
      { ...capture('a', { status: 304, statusText: 'Not Modified', body: '' }), previous },
      { ...capture('a', { body: `${long}!` }), previous },
    ]);
    expect(same?.revisit).toEqual(previous);
    expect(unchanged?.revisit).toEqual(previous);
    expect(changed?.revisit).toBeUndefined();
    const revisits = (await records(same?.file ?? '')).filter((record) => record.type === 'revisit');
    expect(revisits.map((record) => record.header('WARC-Profile')?.split('/').at(-1))).toEqual([
      'identical-payload-digest',
      'server-not-modified',
    ]);
    expect(revisits.map((record) => record.header('WARC-Refers-To-Date'))).toEqual(
      revisits.map(() => '2024-01-01T00:00:00.000Z'),
    );
    expect((await validateWarc(join(folder, same?.file ?? ''))).problems).toEqual([]);
  });
});

describe('heads', () => {
  it('does not promise bytes that are not there', async () => {
    const headers: [string, string][] = [['Content-Length', '7000']];
    const places = await saved([
      capture('a', { headers }),
      capture('b', { headers, truncated: 'length', body: 'cut' }),
      {
        ...capture('c', { headers, status: 304, body: '' }),
        previous: { url: 'http://a/' as Url, startedAtMs: 0 },
      },
    ]);
    const all = await records(places[0]?.file ?? '');
    const heads = all.filter((record) => record.type === 'response' || record.type === 'revisit');
    expect(heads.map((record) => record.http?.get('content-length'))).toEqual(['7000', null, '7000']);
    expect(heads[1]?.http?.get('x-crawler-content-length')).toBe('7000');
  });
});

describe('metadata records', () => {
  it('tells what was learnt, and no word of a page becomes a field of its own', async () => {
    const one = capture('a', { body: 'x' });
    one.entry.referrer = 'http://example.test/' as Url;
    one.facts = { links: 7, signals: ['noai', 'evil\r\nWARC-Type: response'] };
    const [at] = await saved([one]);
    const found = (await records(at?.file ?? '')).find((record) => record.type === 'metadata');
    expect(found?.text).toBe(
      'fetchTimeMs: 12\r\nkind: page\r\ndepth: 0\r\nvia: http://example.test/\r\noutlinks: 7\r\n' +
        'signal: noai\r\nsignal: evil WARC-Type: response\r\n',
    );
  });
});

describe('credentials', () => {
  it('stay out of the archive, and that they were sent is said', async () => {
    const secret = capture('a');
    secret.page.requestHead =
      'GET / HTTP/1.1\r\nHost: example.test\r\nCookie: sid=s3cret\r\nAccept-Language: Cookie: fine\r\n' +
      'x-api-key: s3cret\r\nSec-Fetch-Mode: navigate\r\n' +
      'authorization: Basic s3cret\r\n s3cret\r\nAccept: */*\r\n\r\n';
    const [at] = await saved([secret]);
    const all = await records(at?.file ?? '');
    const request = all.find((record) => record.type === 'request');
    expect(Object.fromEntries(request?.http ?? [])).toEqual({
      host: 'example.test',
      'accept-language': 'Cookie: fine',
      'sec-fetch-mode': 'navigate',
      accept: '*/*',
    });
    expect(all.find((record) => record.type === 'metadata')?.text).toContain(
      'requestHeadersOmitted: Cookie, x-api-key, authorization\r\n',
    );
    const check = await validateWarc(join(folder, at?.file ?? ''));
    expect(check.problems).toEqual([]);
    const { gunzipSync } = await import('node:zlib');
    expect(gunzipSync(await readFile(join(folder, at?.file ?? ''))).includes('s3cret')).toBe(false);
  });
});
