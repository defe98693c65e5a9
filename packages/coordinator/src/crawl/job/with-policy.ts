import type { Job } from '@webfarer/protocol';
import { policyIn, resolveJob } from '@webfarer/protocol/job';
import type { Policies } from '../../registry/policies.ts';

interface Asked {
  input: unknown;
  job: Job;
}

/**
 * A job with the fields of the policy it names. `kept` is the job of the crawl that it continues, if there is one: the
 * version of the policy that the crawl was created with stays in force. Secrets that were not written down stay with it.
 */
export async function withItsPolicy(
  { input, job }: Asked,
  policies: Policies,
  kept: () => Promise<unknown>,
): Promise<Asked> {
  if (!policyIn(input)) return { input, job };
  const { policy } = ((await kept()) ?? {}) as { policy?: unknown };
  const { whole } = await policies.resolve(input, policy);
  const resolved = resolveJob(whole);
  const saysProxy = (input as { fetch?: { proxy?: unknown } }).fetch?.proxy !== undefined;
  const { credentials, proxy } = job.fetch;
  return {
    input: whole,
    job: {
      ...resolved,
      fetch: { ...resolved.fetch, credentials, ...(saysProxy ? { proxy } : {}) },
      ...(job.store ? { store: job.store } : {}),
    },
  };
}
