import type { Before, Entry, PageRecord, PreviousLink, Url } from '@webfarer/protocol';
import { linkUse } from '@webfarer/protocol/url';
import { describe, expect, test } from 'vitest';
import { asBefore, changeOf, earlierCapture, offerAgain, validatorsFor } from './recrawl.ts';
import type { Gatherer } from './gather.ts';

const url = (text: string) => text as Url;
function entryOf(before?: Before): Entry {
  const entry: Entry = { url: url('http://a.test/'), kind: 'page', depth: 2, cost: 0, hops: 0, attempt: 0 };
  return before ? { ...entry, before } : entry;
}

describe('validators', () => {
  test('are those of the last time, both where both are known', () => {
    expect(validatorsFor(entryOf())).toEqual([]);
    expect(validatorsFor(entryOf({ content: false }))).toEqual([]);
    expect(validatorsFor(entryOf({ content: true, etag: 'W/"x"', lastModified: 'Sun' }))).toEqual([
      ['If-None-Match', 'W/"x"'],
      ['If-Modified-Since', 'Sun'],
    ]);
  });

  test('without end are not sent back', () => {
    expect(validatorsFor(entryOf({ content: true, etag: `"${'x'.repeat(9_000)}"` }))).toEqual([]);
  });
});

test('the payload decides what changed, where the server does not', () => {
  expect(changeOf(entryOf(), 'sha1:A')).toEqual({});
  expect(changeOf(entryOf({ content: false }), 'sha1:A')).toEqual({ change: 'new' });
  expect(changeOf(entryOf({ content: true, digest: 'sha1:A' }), 'sha1:A')).toEqual({ change: 'unchanged' });
  expect(changeOf(entryOf({ content: true, digest: 'sha1:B' }), 'sha1:A')).toEqual({ change: 'changed' });
  expect(changeOf(entryOf({ content: true }), undefined)).toEqual({ change: 'changed' });
});

test('a 304 keeps what was known, but for a newer validator, and who holds the bytes', () => {
  const record = {
    digest: 'sha1:A',
    title: 'T',
    etag: '"1"',
    mime: 'text/html',
    startedAtMs: 5,
  } as PageRecord;
  const seen = { status: 304, bytes: 0, digest: 'sha1:EMPTY', etag: '"2"' };
  expect(asBefore({ record, links: [], items: [] }, seen)).toEqual({
    status: 304,
    bytes: 0,
    digest: 'sha1:A',
    title: 'T',
    mime: 'text/html',
    etag: '"2"',
    change: 'unchanged',
    capturedAtMs: 5,
  });
  const twice = { ...record, capturedAtMs: 3 };
  expect(asBefore({ record: twice, links: [], items: [] }, seen).capturedAtMs).toBe(3);
  expect(earlierCapture(entryOf({ content: true, capturedAtMs: 3, digest: 'sha1:A' }))).toEqual({
    previous: { url: 'http://a.test/', startedAtMs: 3, digest: 'sha1:A' },
  });
  expect(earlierCapture(entryOf({ content: false }))).toEqual({});
});

describe('links of an unchanged page', () => {
  const to = (path: string) => url(`http://a.test${path}`);
  const links: PreviousLink[] = [
    { to: to('/a'), rel: 'a', queuedAs: { kind: 'page', depth: 9, label: 'product' } },
    { to: to('/b'), rel: 'a' },
    { to: to('/no'), rel: 'a', nofollow: true },
    { to: to('/i.png'), rel: 'img' },
    { to: to('/form'), rel: 'form' },
    { to: to('/named'), rel: 'followed', queuedAs: { kind: 'page', depth: 1, label: 'id' } },
  ];

  function offered(followsAll: boolean): string[] {
    const said: string[] = [];
    const gather = {
      offer: (found: Url, how: object) => said.push(`${found} ${JSON.stringify(how)}`),
      drop: (found: string, { code }: { code: string }) => said.push(`${found} ${code}`),
    } as unknown as Gatherer;
    offerAgain(links, { entry: entryOf(), gather, followsAll });
    return said.map((text) => text.slice('http://a.test'.length));
  }

  test('are all offered where the scraper follows all', () => {
    expect(offered(true)).toEqual([
      '/a {"kind":"page","depth":3,"label":"product"}',
      '/b {"kind":"page","depth":3}',
      '/no nofollow',
      '/i.png {"kind":"requisite","depth":2}',
      '/named {"kind":"page","depth":1,"label":"id"}',
    ]);
  });

  test('are else offered as they were queued the last time', () => {
    expect(offered(false)[1]).toBe('/b not-followed');
    expect(offered(false)).toHaveLength(5);
  });
});

test('the name of a link tells its use', () => {
  const uses = [
    'a',
    'iframe',
    'meta:refresh',
    'link:canonical',
    'img',
    'link:stylesheet',
    'form',
    'link:pingback',
  ];
  expect(uses.map(linkUse)).toEqual([
    'page',
    'page',
    'page',
    'page',
    'requisite',
    'requisite',
    'edge',
    'edge',
  ]);
});
