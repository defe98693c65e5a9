import { expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import { methodOf, requestSuffix, requestUrl, targetOf } from './request-url.ts';
import { isCrawlUrl, maxUrlBytes, normaliser } from './url.ts';

const target = 'https://a.example/list?x=1' as Url;
const digest = 'abcDEF0123456789_-abcd';
const name = requestUrl(target, 'POST', digest);

it('names a request behind its URL, and gives both back', () => {
  expect(name).toBe(`${target}#POST.${digest}`);
  expect([targetOf(name), methodOf(name), requestSuffix(name)]).toEqual([target, 'POST', `#POST.${digest}`]);
  expect([targetOf(target), methodOf(target), requestSuffix(target)]).toEqual([target, 'GET', '']);
});

it('is a URL of a crawl, but none that a page can link to', () => {
  expect(isCrawlUrl(name)).toBe(true);
  expect(normaliser({ enabled: true, sort: true, strip: [] })(name)).toBe(target);
  const short = digest.slice(1);
  for (const text of [`${target}#part`, `${target}#POST.${short}`, `${name}#POST.${digest}`, `x${name}`])
    expect(isCrawlUrl(text), text).toBe(false);
  const long = `https://a.example/${'x'.repeat(maxUrlBytes - 20)}` as Url;
  expect([isCrawlUrl(long), isCrawlUrl(requestUrl(long, 'POST', digest))]).toEqual([true, false]);
});
