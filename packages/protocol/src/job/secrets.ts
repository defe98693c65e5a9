import type { Job } from './job.ts';
import type { JobInput } from './schema.ts';
import { redact, withoutUserinfo } from '../url/secrets.ts';

/** A job as it may be written down: seeds and store without names and passwords, proxies with them masked. */
export function withoutSecrets(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { store, seeds, fetch } = input as Partial<JobInput>;
  return {
    ...input,
    ...(Array.isArray(seeds) ? { seeds: seeds.map(plainSeed) } : {}),
    ...(store === undefined ? {} : { store: plainStore(store) }),
    ...(Array.isArray(fetch?.proxy)
      ? { fetch: { ...fetch, proxy: fetch.proxy.map((rule) => ({ ...rule, use: redact(rule.use) })) } }
      : {}),
  };
}

function plainSeed(seed: JobInput['seeds'][number]): JobInput['seeds'][number] {
  if (typeof seed === 'string') return withoutUserinfo(seed);
  return 'sitemap' in seed ? { sitemap: withoutUserinfo(seed.sitemap) } : seed;
}

function plainStore(store: NonNullable<JobInput['store']>): NonNullable<JobInput['store']> {
  return typeof store === 'string' ? withoutUserinfo(store) : { ...store, url: withoutUserinfo(store.url) };
}

/** The same for a job with all its defaults, to compare two of them. */
export function withoutJobSecrets(job: Job): Job {
  const proxy = job.fetch.proxy.map((rule) => ({ ...rule, use: redact(rule.use) }));
  const { store } = job;
  return {
    ...job,
    fetch: { ...job.fetch, proxy, credentials: [] },
    ...(store ? { store: { ...store, url: withoutUserinfo(store.url) } } : {}),
  };
}
