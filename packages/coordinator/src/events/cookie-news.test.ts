import type { CrawlId, HostKey, WebfarerEvent } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { tellCookiesLeftOut } from './cookie-news.ts';

it('tells of cookies that were left out at the first, and each time there are ten times as many', () => {
  const events: WebfarerEvent[] = [];
  const tell = tellCookiesLeftOut('c' as CrawlId, { publish: (event) => events.push(event) });
  const host = 'a.test' as HostKey;
  tell({ host });
  expect(events).toEqual([]);
  for (const cookiesLeftOut of [3, 4, 2, 5, 500, 100]) tell({ host, cookiesLeftOut });
  expect(events.map((event) => event.type === 'cookies-left-out' && event.count)).toEqual([3, 14, 514]);
});
