import type { JobInput } from '@webfarer/protocol';
import { originFor } from '../fake-web/pages.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { allHostsBut, briskJob } from '../prove/lab.ts';

/** A job for some hosts of the fake web, which begins on all of them, and what it is to find there. */
export function someHosts(
  fake: FakeWeb,
  { hosts, gapMs }: { hosts: RegExp; gapMs: number },
): { job: JobInput; expect: ExpectOptions } {
  const { job, expect } = briskJob(fake);
  const own = Array.from({ length: fake.web.hosts }, (_, index) => fake.web.host(index)).filter(
    (host) => host.class === 'serve' && hosts.test(host.name),
  );
  const exclude = [...(job.scope?.exclude ?? []), ...allHostsBut(fake, hosts)];
  return {
    job: {
      ...job,
      seeds: [...job.seeds, ...own.map((host) => `${originFor(fake.web, host, 'http')}/`)],
      scope: { ...job.scope, exclude },
      politeness: { ...job.politeness, gap: `${gapMs}ms` },
      save: ['none'],
    },
    expect: { ...expect, hosts: (host) => (expect.hosts?.(host) ?? true) && hosts.test(host.name) },
  };
}
