import type { Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { CrawlContext } from '../context.ts';
import { mayReadSitemap } from './sitemap-budget.ts';

const crawlOf = (pages: number): CrawlContext =>
  ({ job: { limits: { perHost: { pages } } } }) as CrawlContext;
const url = (text: string) => text as Url;

describe('the sitemaps of a host', () => {
  it('end where its budget of pages ends, for each host and each crawl', () => {
    const crawl = crawlOf(2);
    const read = (text: string) => mayReadSitemap(crawl, url(text));
    expect([1, 2, 3].map((n) => read(`http://a.test/${n}.xml`))).toEqual([true, true, false]);
    expect(read('http://b.test/1.xml')).toBe(true);
    expect(mayReadSitemap(crawlOf(2), url('http://a.test/3.xml'))).toBe(true);
  });

  it('count once, however often their index is read', () => {
    const crawl = crawlOf(1);
    expect([1, 2].map(() => mayReadSitemap(crawl, url('http://a.test/1.xml')))).toEqual([true, true]);
  });
});
