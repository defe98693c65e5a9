import { describe, expect, it } from 'vitest';
import { each, recordOf, unanswered } from '../records.fixture.ts';
import { createCrawlTally } from './crawl-tally.ts';
import { statTables } from './stat-tables.ts';
import { gatherStatistics } from './statistics.ts';

const records = [
  recordOf('https://www.example.org/', { language: 'de-at', digest: 'sha1:A', bytes: 500, durationMs: 40 }),
  recordOf('https://www.example.org/b', { language: 'en', digest: 'sha1:A', bytes: 700, durationMs: 80 }),
  recordOf('https://shop.example.org/x', { mimeDetected: 'application/pdf', bytes: 90_000, durationMs: 900 }),
  recordOf('http://museum.test/gone', { status: 404, reason: 'http-4xx', bytes: 100, depth: 2 }),
  recordOf('http://museum.test/ill', { verdict: 'failed', reason: 'http-5xx', status: 503, bytes: 20 }),
  unanswered('https://dead.test/', { verdict: 'failed', reason: 'timeout' }),
  unanswered('https://www.example.org/private', { verdict: 'refused', reason: 'robots' }),
];

function tallied(of = records) {
  const tally = createCrawlTally();
  for (const record of of) tally.add(record);
  return tally.figures();
}

describe('the figures of a crawl for its API', () => {
  it('are those of webfarer stats', async () => {
    const figures = tallied();
    const tables = statTables(await gatherStatistics(each(records)));
    const rows = (id: string) => tables.find((table) => table.id === id)?.rows ?? [];
    const totals = Object.fromEntries(rows('totals').map(([name, value]) => [name as string, value]));
    const { urls, pages, answers, bytes, hosts, sites, contents, duplicates } = figures.totals;
    expect({ urls, pages, answers, bytes, hosts, sites, contents, duplicates }).toEqual({
      urls: totals['urls'],
      pages: totals['pages'],
      answers: totals['answers'],
      bytes: totals['bytes'],
      hosts: totals['hosts'],
      sites: totals['sites'],
      contents: totals['contents'],
      duplicates: totals['duplicates'],
    });
    const names = {
      status: 'status',
      types: 'mime-detected',
      languages: 'languages',
      depths: 'depths',
    } as const;
    for (const [name, id] of Object.entries(names)) {
      const shown = figures.tables[name as keyof typeof names].rows;
      expect(shown.map((row) => [row.key, row.urls, row.pages, row.bytes])).toEqual(rows(id));
    }
    expect(figures.sizes.steps.map(({ above, upTo, urls: n }) => [above, upTo, n])).toEqual(rows('sizes'));
    expect(figures.times.steps.map(({ above, upTo, urls: n }) => [above, upTo, n])).toEqual(rows('times'));
  });

  it('add up to all URLs, each in its way', () => {
    const { totals, verdicts, classes, outcomes, tables } = tallied();
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    expect(verdicts).toEqual({ done: 4, failed: 2, refused: 1 });
    expect(classes).toEqual({ '1xx': 0, '2xx': 3, '3xx': 0, '4xx': 1, '5xx': 1, none: 2 });
    expect(sum(Object.values(classes))).toBe(totals.urls);
    expect(sum(outcomes.map(({ urls }) => urls))).toBe(totals.urls);
    for (const { rows, others, without } of Object.values(tables))
      expect(sum(rows.map(({ urls }) => urls)) + others.urls + without).toBe(totals.urls);
    expect(tables.languages.without).toBe(5);
    expect(outcomes).toContainEqual({ verdict: 'failed', reason: 'timeout', urls: 1, bytes: 0 });
  });

  it('count what is no status at all as an error of the server, as every other count does', () => {
    const { classes } = tallied([recordOf('http://odd.test/', { status: 999, reason: 'http-other' })]);
    expect(classes).toEqual({ '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 1, none: 0 });
  });

  it('list a type that is first by bytes alone, and sum up what is not listed', () => {
    const many = Array.from({ length: 100 }, (_, n) => [
      recordOf(`https://a.test/${n}`, { mime: `x/${n}`, bytes: 10 }),
      recordOf(`https://a.test/${n}/b`, { mime: `x/${n}`, bytes: 10 }),
    ]).flat();
    const heavy = recordOf('https://a.test/film', { mime: 'video/mp4', bytes: 1e9 });
    const { rows, others, keys } = tallied([...many, heavy]).tables.types;
    expect(keys).toBe(101);
    expect(rows.at(-1)).toMatchObject({ key: 'video/mp4', urls: 1, bytes: 1e9 });
    const listed = rows.reduce((sum, { urls }) => sum + urls, 0);
    expect(listed + others.urls).toBe(201);
    expect(others.bytes).toBe(others.urls * 10);
  });

  it('name the largest, the slowest and the failing hosts', () => {
    const { largest, slowest, failing, uncounted } = tallied().hosts;
    expect(largest.map(({ host, bytes }) => [host, bytes])).toEqual([
      ['shop.example.org', 90_000],
      ['www.example.org', 1_200],
      ['museum.test', 120],
    ]);
    expect(slowest.map(({ host, meanMs, answers }) => [host, meanMs, answers])).toEqual([
      ['shop.example.org', 900, 1],
      ['museum.test', 120, 2],
      ['www.example.org', 60, 2],
    ]);
    expect(failing.map(({ host, failed }) => [host, failed])).toEqual([
      ['museum.test', 1],
      ['dead.test', 1],
    ]);
    expect(uncounted).toBe(0);
  });

  it('count in bounded memory, and say of how many hosts nothing is listed', () => {
    const { hosts, totals, tables } = tallied(
      Array.from({ length: 20_050 }, (_, n) => recordOf(`https://h${n}.test/`, { server: `s${n}` })),
    );
    expect(hosts.uncounted).toBe(50);
    expect(totals).toMatchObject({ urls: 20_050, hosts: 20_050 });
    expect(tables.servers.keys).toBe(5_000);
    expect(tables.servers.others.urls + tables.servers.rows.length).toBe(20_050);
  });

  it('are empty for an empty crawl', () => {
    const { totals, sizes } = tallied([]);
    expect(totals).toMatchObject({ urls: 0, hosts: 0, estimated: false });
    expect(sizes).toEqual({ urls: 0, steps: [], quantiles: { p5: 0, p25: 0, p50: 0, p75: 0, p95: 0 } });
  });
});
