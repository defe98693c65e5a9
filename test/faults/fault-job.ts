import type { JobInput } from '@webfarer/protocol';
import type { Host } from '../fake-web/hosts.ts';
import { originFor } from '../fake-web/pages.ts';
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
  changes: { gapMs?: number; few?: boolean | undefined; wide?: boolean } = {},
): { job: JobInput; expect: ExpectOptions; gapMs: number } {
  const { job, expect } = briskJob(fake);
  const [brisk] = job.scope?.exclude ?? [];
  const { gapMs = faultGapMs, few = false, wide = false } = changes;
  const without = few ? `${silent}|${alike}` : silent;
  const isOut = new RegExp(`^(${without})\\d`);
  const isIn = (host: Host): boolean => (expect.hosts?.(host) ?? true) && !isOut.test(host.name);
  return {
    expect: { ...expect, hosts: isIn },
    gapMs,
    job: {
      ...job,
      ...(wide ? { seeds: homesOf(fake, isIn) } : {}),
      scope: {
        ...job.scope,
        exclude: [...(brisk ? [brisk] : []), { regex: `^https?://(${without})\\d` }],
      },
      politeness: { ...job.politeness, gap: `${gapMs}ms` },
      fetch: {
        ...job.fetch,
        timeout: `${faultTimeoutMs}ms`,
        // A frozen process blames the host for what it did not hear, and a store the page for a worker that died.
        retries: { count: 8, backoff: '100ms', deadAfter: 6, poisonAfter: 35 },
      },
    },
  };
}

/** The first pages of all hosts that have pages of their own. */
function homesOf({ web }: FakeWeb, isIn: (host: Host) => boolean): string[] {
  const all = Array.from({ length: web.hosts }, (_, index) => web.host(index));
  return all
    .filter((host) => host.class === 'serve' && isIn(host))
    .map((host) => `${originFor(web, host, 'http')}/`);
}
