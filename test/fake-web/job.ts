import type { JobInput } from '@webfarer/protocol';
import type { FakeWeb } from './server.ts';

/**
 * A job that crawls the whole fake web: no depth or page limit, waits that are short enough for tests.
 * Judge it with `gapMs: 50` and `hostPages: web.hostBudget()`.
 */
export function jobFor(fake: FakeWeb, name = 'fake-web'): JobInput & { name: string } {
  return {
    name,
    seeds: fake.web.seeds(),
    contact: 'https://fake-web.test/contact',
    scope: { stay: 'web' },
    limits: {
      pages: 'none',
      bytes: 'none',
      depth: 'none',
      perHost: { pages: fake.web.hostBudget() },
      perSite: { pages: 'none' },
      minFree: '10MB',
    },
    politeness: { gap: '50ms' },
    robots: { giveUpAfter: '1s' },
    fetch: {
      ...fake.fetch,
      maxBody: '200KB',
      retries: { count: 3, backoff: '100ms', deadAfter: 3 },
    },
  };
}

/** What `web.expected` must be told of that job. */
export const jobExpects = { maxBodyBytes: 200_000 };
