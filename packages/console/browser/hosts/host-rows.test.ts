import type { CrawlHost } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { type HostView, hostRows } from './host-rows.ts';

const host = (name: string, dueInMs: number, queued: number, pages = 0): CrawlHost => ({
  host: name,
  state: 'waiting',
  queued,
  pages,
  bytes: 10 - pages,
  troubles: pages % 4,
  dueInMs,
  why: 'gap',
});
const hosts = [host('b.example', 500, 7, 9), host('a.example', 0, 7, 4), host('c.test', 90_000, 1, 5)];
const names = (view: Partial<HostView>) =>
  hostRows(hosts, { q: '', sort: 'due', down: false, ...view }).map((row) => row.host);

it('sorts hosts by when they are due, by their queue and by name, both ways', () => {
  expect(names({})).toEqual(['a.example', 'b.example', 'c.test']);
  expect(names({ down: true })).toEqual(['c.test', 'b.example', 'a.example']);
  expect(names({ sort: 'queued', down: true })).toEqual(['a.example', 'b.example', 'c.test']);
  expect(names({ sort: 'host', down: true })).toEqual(['c.test', 'b.example', 'a.example']);
});

it('sorts hosts by what the crawl has of them', () => {
  expect(names({ sort: 'pages', down: true })).toEqual(['b.example', 'c.test', 'a.example']);
  expect(names({ sort: 'bytes', down: true })).toEqual(['a.example', 'c.test', 'b.example']);
  // b and c have had as many: in the order of their names.
  expect(names({ sort: 'troubles', down: true })).toEqual(['b.example', 'c.test', 'a.example']);
});

it('finds hosts by a part of their name', () => {
  expect(names({ q: ' EXAMPLE ' })).toEqual(['a.example', 'b.example']);
});
