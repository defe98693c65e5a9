import type { FetchPolicy, Job } from './job.ts';
import { isOpenHeader } from './policy.ts';
import type { JobInput } from './schema.ts';
import { isForm, redact, withoutUserinfo } from '../url/secrets.ts';

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

/** What requests of a job carry that others could act with in its owner's name. */
export type RequestSecrets = Pick<FetchPolicy, 'headers' | 'credentials' | 'proxy'>;

/**
 * A job without what its requests carry in secret, and that by itself; undefined: it has none. What a login form is sent
 * is in neither: it stays in the process that it was given to.
 */
export function withholdSecrets(job: Job): { job: Job; secrets: RequestSecrets | undefined } {
  const { headers, proxy } = job.fetch;
  const credentials = job.fetch.credentials.filter((one) => !isForm(one));
  const open = headers.filter(([name]) => isOpenHeader(name));
  const isProxySecret = proxy.some(({ use }) => redact(use) !== use);
  const isSecret = isProxySecret || credentials.length > 0 || open.length < headers.length;
  const fetch = { ...job.fetch, headers: open, credentials: [], proxy: isProxySecret ? [] : proxy };
  return { job: { ...job, fetch }, secrets: isSecret ? { headers, credentials, proxy } : undefined };
}

export function withRequestSecrets(job: Job, { headers, credentials, proxy }: RequestSecrets): Job {
  return { ...job, fetch: { ...job.fetch, headers, credentials, proxy } };
}
