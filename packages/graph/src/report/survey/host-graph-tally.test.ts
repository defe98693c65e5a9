import type { Edge, Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { each, linksOf, recordOf, unanswered } from '../../records.fixture.ts';
import { BrokenLinks } from './broken-links.ts';
import { createHostGraphTally } from './host-graph-tally.ts';
import { surveyLinks } from './links.ts';

const link = (to: string, rel = 'a'): Edge => ({ to: to as Url, rel });
const pages = [
  {
    from: 'https://site.test/' as Url,
    edges: [
      link('https://site.test/a'),
      link('https://shop.test/1'),
      link('https://shop.test/2'),
      // Twice on one page, and a picture that nobody follows.
      link('https://shop.test/1'),
      link('https://images.test/x.png', 'img'),
      link('https://far.test/'),
    ],
  },
  { from: 'https://site.test/a' as Url, edges: [link('https://shop.test/1'), link('https://near.test/')] },
  { from: 'https://shop.test/1' as Url, edges: [link('https://site.test/')] },
];
const records = [
  recordOf('https://site.test/'),
  recordOf('https://site.test/a'),
  recordOf('https://shop.test/1'),
  recordOf('https://shop.test/2', { status: 404, reason: 'http-4xx' }),
  unanswered('https://lost.test/', { verdict: 'failed', reason: 'timeout' }),
];

function tallied(links = pages) {
  const tally = createHostGraphTally();
  for (const record of records) tally.addRecord(record);
  for (const { from, edges } of links) tally.addLinks(from, edges);
  return tally.figures();
}

describe('the graph of hosts for the API', () => {
  it('has the hosts that were crawled first, then the most linked, with their pages and links', () => {
    const { hosts, links, totals, uncounted } = tallied();
    expect(hosts.map((h) => [h.host, h.crawled, h.urls, h.pages, h.linksIn, h.linksOut])).toEqual([
      ['shop.test', true, 2, 1, 3, 1],
      ['site.test', true, 2, 2, 1, 5],
      ['lost.test', true, 1, 0, 0, 0],
      ['far.test', false, 0, 0, 1, 0],
      ['near.test', false, 0, 0, 1, 0],
    ]);
    expect(links).toEqual([
      [1, 0, 3],
      [0, 1, 1],
      [1, 3, 1],
      [1, 4, 1],
    ]);
    expect(totals).toEqual({ hosts: 5, crawled: 3, links: 6, pairs: 4 });
    expect(uncounted).toEqual({ urls: 0, links: 0 });
    expect(hosts.map((h) => [h.hostsIn, h.hostsOut]).slice(0, 2)).toEqual([
      [1, 1],
      [1, 3],
    ]);
  });

  it('counts the links that the report counts', async () => {
    const { hosts: found } = await surveyLinks(each(pages.map(({ from, edges }) => linksOf(from, edges))), {
      broken: new BrokenLinks(0),
      maxRows: 0,
    });
    const { hosts, links } = tallied();
    const named = (of: readonly string[], list: readonly (readonly [number, number, number])[]) =>
      list.map(([a, b, n]) => `${of[a]} ${of[b]} ${n}`).toSorted();
    expect(
      named(
        hosts.map(({ host }) => host),
        links,
      ),
    ).toEqual(named(found.hosts, found.links));
  });

  it('keeps crawled hosts among thousands, and says what it left out', () => {
    const far = Array.from({ length: 31_000 }, (_, n) => link(`https://h${n}.test/`));
    const late = { from: 'https://late.test/' as Url, edges: [link('https://site.test/')] };
    const { hosts, links, totals, uncounted } = tallied([
      ...pages,
      { from: pages[0]?.from as Url, edges: far },
      late,
    ]);
    expect(hosts).toHaveLength(1_000);
    expect(hosts.slice(0, 3).map(({ host }) => host)).toEqual(['shop.test', 'site.test', 'lost.test']);
    expect(totals.hosts).toBe(30_001);
    // The host that was met last was read, and its link is counted.
    expect(hosts[1]).toMatchObject({ host: 'site.test', linksIn: 2 });
    expect(uncounted.links).toBe(31_000 - (30_000 - 5));
    expect(links.every(([a, b]) => a < 1_000 && b < 1_000)).toBe(true);
  });

  it('is empty for an empty crawl', () => {
    expect(createHostGraphTally().figures()).toEqual({
      hosts: [],
      links: [],
      totals: { hosts: 0, crawled: 0, links: 0, pairs: 0 },
      uncounted: { urls: 0, links: 0 },
    });
  });
});
