import type { JobInput } from '@webfarer/protocol';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { briskJob } from '../prove/lab.ts';

/** A job for some hosts of the fake web, and what it is to find there. */
export function someHosts(
  fake: FakeWeb,
  { hosts, gapMs }: { hosts: RegExp; gapMs: number },
): { job: JobInput; expect: ExpectOptions } {
  const { job, expect } = briskJob(fake);
  const exclude = [...(job.scope?.exclude ?? []), { regex: `^https?://(?!${hosts.source.slice(1)})` }];
  return {
    job: {
      ...job,
      scope: { ...job.scope, exclude },
      politeness: { ...job.politeness, gap: `${gapMs}ms` },
      save: ['none'],
    },
    expect: { ...expect, hosts: (host) => (expect.hosts?.(host) ?? true) && hosts.test(host.name) },
  };
}
