import type { CrawlHost } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { type HostView, hostRows } from './host-rows.ts';

const host = (name: string, dueInMs: number, queued: number): CrawlHost => ({
  host: name,
  state: 'waiting',
  queued,
  dueInMs,
  why: 'gap',
});
const hosts = [host('b.example', 500, 7), host('a.example', 0, 7), host('c.test', 90_000, 1)];
const names = (view: Partial<HostView>) =>
  hostRows(hosts, { q: '', sort: 'due', down: false, ...view }).map((row) => row.host);

it('sorts hosts by when they are due, by their queue and by name, both ways', () => {
  expect(names({})).toEqual(['a.example', 'b.example', 'c.test']);
  expect(names({ down: true })).toEqual(['c.test', 'b.example', 'a.example']);
  expect(names({ sort: 'queued', down: true })).toEqual(['a.example', 'b.example', 'c.test']);
  expect(names({ sort: 'host', down: true })).toEqual(['c.test', 'b.example', 'a.example']);
});

it('finds hosts by a part of their name', () => {
  expect(names({ q: ' EXAMPLE ' })).toEqual(['a.example', 'b.example']);
});
