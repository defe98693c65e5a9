import type { JobInput } from '@webfarer/protocol';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { briskJob } from '../prove/lab.ts';

/** Between two requests to a host: small, so that a crawl takes a quarter of a minute and many can be disturbed. */
export const faultGapMs = 100;
/** The longest fetch; a lease is three of them. */
export const faultTimeoutMs = 2_000;

/** Nobody logs the tries to reach a dead one, and one page is broken for ever: both look as if the crawl stood still. */
const silent = 'dead|gone|faulty';
/** Two dozen hosts that are like many others: quick forms can do without. */
const alike =
  'alpha|bravo|delta|gamma|kappa|omega|sigma|theta|zeta|' +
  '(www.|blog.)(river|stone|cloud|field|maple|amber)|coral';

/** The job of a crawl that is to be disturbed: leases that run out soon, hosts that are not given up soon. */
export function faultJob(
  fake: FakeWeb,
  changes: { gapMs?: number | undefined; few?: boolean | undefined } = {},
): { job: JobInput; expect: ExpectOptions; gapMs: number } {
  const { job, expect } = briskJob(fake);
  const [brisk] = job.scope?.exclude ?? [];
  const { gapMs = faultGapMs, few = false } = changes;
  const without = few ? `${silent}|${alike}` : silent;
  const isOut = new RegExp(`^(${without})\\d`);
  return {
    expect: { ...expect, hosts: (host) => (expect.hosts?.(host) ?? true) && !isOut.test(host.name) },
    gapMs,
    job: {
      ...job,
      scope: {
        ...job.scope,
        exclude: [...(brisk ? [brisk] : []), { regex: `^https?://(${without})\\d` }],
      },
      politeness: { ...job.politeness, gap: `${gapMs}ms` },
      fetch: {
        ...job.fetch,
        timeout: `${faultTimeoutMs}ms`,
        // A frozen process blames the host for what it did not hear.
        retries: { count: 8, backoff: '100ms', deadAfter: 6 },
      },
    },
  };
}
