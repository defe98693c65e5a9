import type { HostKey } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { CrawlContext } from './context.ts';
import { firstLookAt, mayReadSitemap } from './sitemap-budget.ts';

const crawlOf = (pages: number): CrawlContext =>
  ({ job: { limits: { perHost: { pages } } } }) as CrawlContext;
const host = 'a.test' as HostKey;

describe('the sitemaps of a host', () => {
  it('end where its budget of pages ends, for each host and each crawl', () => {
    const crawl = crawlOf(2);
    expect([1, 2, 3].map(() => mayReadSitemap(crawl, host))).toEqual([true, true, false]);
    expect(mayReadSitemap(crawl, 'b.test' as HostKey)).toBe(true);
    expect(mayReadSitemap(crawlOf(2), host)).toBe(true);
  });
});

describe('the sitemaps that a robots.txt names', () => {
  it('are offered once in each run of a crawl, whoever read it', () => {
    const crawl = crawlOf(2);
    expect(
      ['http://a.test', 'http://a.test', 'http://b.test'].map((origin) => firstLookAt(origin, crawl)),
    ).toEqual([true, false, true]);
    expect(firstLookAt('http://a.test', crawlOf(2))).toBe(true);
  });
});
