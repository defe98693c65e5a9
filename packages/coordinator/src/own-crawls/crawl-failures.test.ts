import { type CrawlId, systemClock, type WebfarerEvent } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createCrawlFailures } from './crawl-failures.ts';

it('reports a full disk as such, with what to do, and no path', () => {
  const events: WebfarerEvent[] = [];
  const failures = createCrawlFailures(systemClock(), { publish: (event) => events.push(event) });
  const crawl = { id: 'c' as CrawlId, name: 'shop', nonce: 'n' };
  const full = Object.assign(new Error("ENOSPC: no space left on device, write '/secret'"), {
    code: 'ENOSPC',
  });
  failures.add(crawl, full);
  failures.add(crawl, full);
  expect(events).toEqual([
    expect.objectContaining({
      type: 'crawl-failed',
      name: 'shop',
      code: 'storage',
      next: expect.any(String),
    }),
  ]);
  expect(JSON.stringify([events, failures.of('n')])).not.toContain('secret');
});
