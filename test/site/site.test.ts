// watches: docs, site, README.md
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Built, buildSite } from '../../site/build.ts';
import { sectionsOf } from '../../site/navigation.ts';
import { slugOf } from '../../site/render.ts';
import { type Entry, indexOf } from '../../site/search.ts';
import { deadLinks, readSite } from './read-site.ts';
import { leftOut } from './left-out.ts';

let built: Built;
beforeAll(async () => {
  built = await buildSite(mkdtempSync(join(tmpdir(), 'webfarer-site-')));
});
afterAll(() => rmSync(built.out, { recursive: true, force: true }));

it('no link or anchor is dead', () => {
  expect(built.broken).toEqual([]);
  expect(deadLinks(built.out, readSite(built.out))).toEqual([]);
});

it('every page of docs/ is in the navigation', () => {
  expect(built.pages.length).toBeGreaterThan(100);
  expect(leftOut(readSite(built.out)).slice(0, 5)).toEqual([]);
  const unlisted = sectionsOf(['docs/never-listed', 'docs/tutorial', 'docs/recipes/new']);
  expect(unlisted.flatMap(({ pages }) => pages).toSorted()).toEqual([
    'docs/never-listed',
    'docs/recipes/new',
    'docs/tutorial',
  ]);
});

it('anchors are those of GitHub', () => {
  expect(slugOf('Why a crawl makes no progress?')).toBe('why-a-crawl-makes-no-progress');
  expect(slugOf('`--json`, and "more"')).toBe('--json-and-more');
});

it('the search wants all words, takes the last one as begun, and puts titles first', () => {
  const entries: Entry[] = [
    ['a.html', 'Signals', 'Signals', '', 'how a process stops'],
    ['b.html', 'Other', 'Other', '', 'signals are mentioned, a process too'],
  ];
  const find = (query: string) =>
    indexOf(entries)
      .find(query, 5)
      .map(({ entry }) => entry[0]);
  expect(find('signals')).toEqual(['a.html', 'b.html']);
  expect(find('process sto')).toEqual(['a.html']);
  expect(find('sto process')).toEqual([]);
  expect(find('nothing')).toEqual([]);
  expect(find('')).toEqual([]);
});
