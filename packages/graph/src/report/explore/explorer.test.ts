import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import fc from 'fast-check';
import { parse, type DefaultTreeAdapterMap } from 'parse5';
import { describe, expect, it } from 'vitest';
import { each, linksOf, recordOf } from '../../records.fixture.ts';
import { writeExplorer } from './explorer.ts';
import { shortestPaths } from './shortest-paths.ts';

const url = (n: number | string) => `https://h.test/${n}` as Url;

function crawlOf(pages: number, links: [number, number][], seeds: number) {
  const records = Array.from({ length: pages }, (_, n): PageRecord => {
    const isSeed = n < seeds;
    return recordOf(url(n), { depth: isSeed ? 0 : 1, ...(isSeed ? {} : { referrer: url('any') }) });
  });
  const rows = records.map((record, n) =>
    linksOf(
      record.url,
      links.filter(([from]) => from === n).map(([, to]): Edge => ({ to: url(to), rel: 'a' })),
    ),
  );
  return { records: () => each(records), edges: () => each(rows) };
}

/** Distances by going over all links again and again. */
function distances(pages: number, links: [number, number][], seeds: number): number[] {
  const far = Array.from({ length: pages }, (_, n) => (n < seeds ? 0 : Number.POSITIVE_INFINITY));
  for (let round = 0; round < pages; round++) {
    for (const [from, to] of links) far[to] = Math.min(far[to] ?? 0, (far[from] ?? 0) + 1);
  }
  return far;
}

describe('shortest paths', () => {
  it('are as short as can be, and name what no links lead to', async () => {
    const page = fc.nat({ max: 14 });
    const links = fc.array(fc.tuple(page, page), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(links, fc.integer({ min: 1, max: 3 }), async (chosen, seeds) => {
        const { pages, unreached, total } = await shortestPaths(crawlOf(15, chosen, seeds));
        const right = distances(15, chosen, seeds);
        const length = (at: number): number => {
          const parent = pages[at]?.parent ?? -2;
          return parent === -2 ? Number.POSITIVE_INFINITY : parent === -1 ? 0 : 1 + length(parent);
        };
        for (const [at, found] of pages.entries()) {
          expect(length(at)).toBe(right[Number(found.url.slice(url('').length))]);
          expect(found.parent).toBeLessThan(at);
        }
        expect([pages.length, total]).toEqual([15, 15]);
        expect(unreached).toBe(right.filter((n) => n === Number.POSITIVE_INFINITY).length);
      }),
    );
  });

  it('follow what a reader can follow', async () => {
    const edges: Edge[] = [
      { to: url(1), rel: 'img' },
      { to: url(2), rel: 'redirect' },
    ];
    const { pages } = await shortestPaths({
      records: crawlOf(3, [], 1).records,
      edges: () => each([linksOf(url(0), edges)]),
    });
    expect(pages.map(({ url: at, parent }) => [at, parent])).toEqual([
      [url(0), -1],
      [url(2), 0],
      [url(1), -2],
    ]);
  });
});

describe('explorer', () => {
  it('is one whole file below 5 MB in which nothing a site wrote acts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webfarer-explorer-'));
    const file = join(folder, 'graph.html');
    const long = (n: number) => url(`</script><script>alert(1)</script><!--${'<&>"\u2028'.repeat(80)}${n}`);
    const records = Array.from({ length: 9_000 }, (_, n) => recordOf(long(n), { depth: n === 0 ? 0 : 1 }));
    const rows = records.map(({ url: from }, n) => linksOf(from, [{ to: long(n + 1), rel: 'a' }]));
    const name = '</title><script>alert(1)</script>';
    const summary = await writeExplorer({
      file,
      name,
      records: () => each(records),
      edges: () => each(rows),
    });
    expect((await stat(file)).size).toBeLessThan(5_000_000);
    expect(summary.pages).toBe(9_000);
    expect(summary.shownPages).toBeGreaterThan(1_000);
    const scripts: DefaultTreeAdapterMap['element'][] = [];
    const walk = (node: DefaultTreeAdapterMap['node']) => {
      if ('tagName' in node && node.tagName === 'script') scripts.push(node);
      if ('childNodes' in node) for (const child of node.childNodes) walk(child);
    };
    walk(parse(await readFile(file, 'utf8')));
    expect(scripts.map(({ attrs }) => attrs.map(({ value }) => value))).toEqual([
      ['application/json', 'data'],
      [],
    ]);
    const data = scripts[0]?.childNodes.map((node) => ('value' in node ? node.value : '')).join('') ?? '';
    const { pages } = JSON.parse(data) as { pages: { origins: string[]; rows: [number, string][] } };
    expect(`${pages.origins[0]}${pages.rows[0]?.[1]}`).toBe(
      long(0).slice(0, pages.origins[0]?.length) + long(0).slice(14, 514),
    );
    await rm(folder, { recursive: true });
  });
});
