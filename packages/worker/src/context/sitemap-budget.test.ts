import type { Job, Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createSitemapBudget } from './sitemap-budget.ts';

const budgetOf = (pages: number | undefined) =>
  createSitemapBudget({ limits: { perHost: { pages } } } as Pick<Job, 'limits'>);
const url = (text: string) => text as Url;

describe('the sitemaps of a host', () => {
  it('end where its budget of pages ends, for each host and each crawl', () => {
    const budget = budgetOf(2);
    const read = (text: string) => budget.mayRead(url(text));
    expect([1, 2, 3].map((n) => read(`http://a.test/${n}.xml`))).toEqual([true, true, false]);
    expect(read('http://b.test/1.xml')).toBe(true);
    expect(budgetOf(2).mayRead(url('http://a.test/3.xml'))).toBe(true);
  });

  it('count once, however often their index is read', () => {
    const budget = budgetOf(1);
    expect([1, 2].map(() => budget.mayRead(url('http://a.test/1.xml')))).toEqual([true, true]);
  });

  it('are bounded where pages are not', () => {
    expect(budgetOf(undefined).perHost).toBe(50_000);
  });
});
