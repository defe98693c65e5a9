import { WebfarerError } from '../base/errors.ts';
import type { FetchPolicy, Job } from './job.ts';
import type { JobInput } from './schema.ts';
import { isForm, mask, redact, withoutUserinfo } from '../url/secrets.ts';

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

/** They say what the crawler reads, and are no key to anything. */
const openHeaders = new Set(['accept', 'accept-charset', 'accept-language', 'dnt', 'from', 'sec-gpc']);

/** Whether the value of a job's header is for everyone to read. */
export function isOpenHeader(name: string): boolean {
  return openHeaders.has(name.toLowerCase());
}

interface MaskedJob {
  masked: unknown;
  /** What was masked, by header. */
  values: Record<string, string>;
  /** No value was masked before. */
  isWhole: boolean;
}

/** A job, as it is written, without the values of request headers that may be keys. */
export function maskHeaders(input: unknown): MaskedJob {
  const { fetch } = (input ?? {}) as Partial<JobInput>;
  const values: Record<string, string> = {};
  const headers = { ...fetch?.headers };
  let isWhole = true;
  for (const [name, value] of Object.entries(headers)) {
    if (value === mask) isWhole = false;
    else if (!isOpenHeader(name)) {
      values[name] = value;
      headers[name] = mask;
    }
  }
  const isOpen = Object.keys(values).length === 0;
  return { masked: isOpen ? input : { ...(input as object), fetch: { ...fetch, headers } }, values, isWhole };
}

/** The job with these values in the place of those that were masked. */
export function unmaskHeaders(input: unknown, values: Readonly<Record<string, string>>): unknown {
  const { fetch } = (input ?? {}) as Partial<JobInput>;
  const headers = Object.entries({ ...fetch?.headers }).map(([name, value]) => [
    name,
    value === mask && Object.hasOwn(values, name) ? values[name] : value,
  ]);
  return { ...(input as object), fetch: { ...fetch, headers: Object.fromEntries(headers) } };
}

/** Throws where a job was read without its secrets: a site would be sent the mask in their place. */
export function requireHeaderValues({ name, fetch }: Pick<Job, 'name' | 'fetch'>): void {
  const lost = fetch.headers.filter(([, value]) => value === mask).map(([header]) => header);
  if (lost.length === 0) return;
  throw new WebfarerError(
    'usage',
    `the job ${name} lacks the values of ${lost.join(', ')} in fetch.headers`,
    {
      next: 'Values of headers are not stored with a job. Run it from the job file that states them, or write them again.',
    },
  );
}
