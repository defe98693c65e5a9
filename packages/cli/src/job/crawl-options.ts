import { tarCompressions } from '@webfarer/protocol/job';
import { type JobInput, type Url, WebfarerError } from '@webfarer/protocol';
import { hostOf, originOf, seedUrl } from '@webfarer/protocol/url';

/** What `webfarer crawl` understands, as commander hands it over. */
export interface CrawlOptions {
  stay?: 'path' | 'host' | 'site' | 'web';
  include?: string[];
  exclude?: string[];
  requisites?: boolean;
  limit?: string;
  depth?: string;
  bytes?: string;
  duration?: string;
  gap?: string;
  retries?: string;
  contact?: string;
  ua?: string;
  dns?: string[];
  allowPrivate?: string[];
  proxy?: string;
  ca?: string;
  cookies?: string | false;
  identity?: string;
  sitemaps?: boolean;
  scraper?: string;
  save?: string[];
  mirror?: string | true;
  threshold?: string[];
  processes?: string;
  name?: string;
  store?: string;
  durability?: string;
  insecureStore?: boolean;
}

/** The same crawl as a job file would say it. Only what was said is in it; defaults stay with the schema. */
export function jobInputFrom(seeds: readonly string[], options: CrawlOptions): JobInput {
  const said = { ...options, allowPrivate: allowedPrivate(seeds, options.allowPrivate) };
  const { name, ...rest } = jobOverrides(said);
  const limits = withoutEmpty({ ...rest.limits, ...ownBudgets(options) });
  return withoutEmpty({ name, seeds: seeds.map(checkedSeed), ...rest, limits }) as unknown as JobInput;
}

/** A job file with what the command line says besides; of lists and words, the command line's count. */
export function withOverrides<Input>(input: Input, options: CrawlOptions): Input {
  // What is no job at all is refused as it was written.
  return isPlain(input) ? (merged(input, jobOverrides(options)) as Input) : input;
}

function merged(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlain(base) || !isPlain(over)) return over;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(over)])];
  return Object.fromEntries(keys.map((key) => [key, merged(base[key], over[key])]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the options say, as the fields of a job. */
function jobOverrides(
  options: { [K in keyof CrawlOptions]: CrawlOptions[K] | undefined },
): Partial<JobInput> {
  const { stay, include, exclude, requisites } = options;
  return (withoutEmpty({
    name: options.name,
    contact: options.contact,
    scope: withoutEmpty({
      stay,
      include: include?.map(pattern),
      exclude: exclude?.map(pattern),
      requisites: requisites || undefined,
    }),
    limits: withoutEmpty({
      pages: orNone(options.limit, '--limit'),
      depth: orNone(options.depth, '--depth'),
      bytes: options.bytes,
      duration: options.duration,
    }),
    politeness: withoutEmpty({ gap: options.gap === '0' ? 0 : options.gap }),
    robots: withoutEmpty({ sitemaps: options.sitemaps === false ? false : undefined }),
    fetch: withoutEmpty({
      userAgent: options.ua,
      dns: options.dns,
      allowPrivate: options.allowPrivate,
      proxy: options.proxy === undefined ? undefined : [{ use: options.proxy }],
      ca: options.ca,
      cookies: options.cookies,
      retries:
        options.retries === undefined ? undefined : { count: wholeNumber(options.retries, '--retries') },
    }),
    identity: options.identity === undefined ? undefined : { directory: options.identity },
    scraper: options.scraper,
    save: options.save?.map(saver),
    mirror: mirrorChoice(options.mirror),
    processes: processCount(options.processes),
    store: storeChoice(options),
    thresholds: options.threshold && Object.fromEntries(options.threshold.map(threshold)),
  }) ?? {}) as Partial<JobInput>;
}

/** The store as a job file would name it. */
export function storeChoice({
  store,
  durability,
  insecureStore,
}: { [K in 'store' | 'durability' | 'insecureStore']?: CrawlOptions[K] | undefined }): JobInput['store'] {
  const [option] = [durability && '--durability', insecureStore && '--insecure-store'].filter(Boolean);
  if (store !== undefined && option === undefined) return store;
  if (store !== undefined)
    return withoutEmpty({ url: store, durability, insecure: insecureStore }) as JobInput['store'];
  if (option === undefined) return undefined;
  throw new WebfarerError('usage', `${option} needs --store.`, {
    next: 'For example --store redis://127.0.0.1:6379',
  });
}

function mirrorChoice(folder: string | true | undefined): JobInput['mirror'] {
  return folder === true || folder === undefined ? folder && {} : { folder };
}

/** How many processes `--processes` asks for. */
export function processCount(text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(text, '--processes', 2);
}

/** Drops what was not said, so that crawl.json and comparisons on resume show what the person wrote. */
function withoutEmpty<T extends Record<string, unknown>>(fields: T): Partial<T> | undefined {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : (Object.fromEntries(said) as Partial<T>);
}

function checkedSeed(text: string): string {
  if (seedUrl(text).length > 0) return text.trim();
  throw new WebfarerError('usage', `${text} is not a web address.`, {
    next: 'Write it like example.org or https://example.org/docs/',
  });
}

/** `regex:[?&]sort=` is a regular expression, everything else a glob. */
function pattern(text: string): string | { regex: string } {
  return text.startsWith('regex:') ? { regex: text.slice('regex:'.length) } : text;
}

function orNone(text: string | undefined, option: string): number | 'none' | undefined {
  if (text === undefined) return undefined;
  return text === 'none' ? 'none' : wholeNumber(text, option);
}

/** `5000`, `5,000`, `5_000` and `5k` are the same. */
export function wholeNumber(text: string, option: string, example = 500): number {
  const [, digits, unit] = /^(\d[\d,_]*)([km]?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) {
    throw new WebfarerError('usage', `${option} needs a whole number, not "${text}".`, {
      next: `For example ${option} ${example}`,
    });
  }
  const factor = { '': 1, k: 1000, m: 1_000_000 }[(unit ?? '').toLowerCase()] ?? 1;
  return Number(digits.replaceAll(/[,_]/g, '')) * factor;
}

function saver(text: string): NonNullable<JobInput['save']>[number] {
  const compress =
    tarCompressions.find((each) => text === `tar.${each}`) ?? (text === 'tgz' ? 'gz' : undefined);
  if (compress) return { tar: { compress } };
  return text;
}

/** `failed<1%` */
function threshold(text: string): [string, string] {
  const [, of, rule] = /^\s*([\w-]+)\s*((?:<=?|>=?)\s*[\d.]+\s*%?)\s*$/.exec(text) ?? [];
  if (of === undefined || rule === undefined) {
    throw new WebfarerError('usage', `--threshold "${text}" is invalid.`, {
      next: "Write it like --threshold 'failed<1%' or --threshold '404<=10'",
    });
  }
  return [of, rule];
}

function allowedPrivate(seeds: readonly string[], said: readonly string[] | undefined): string[] | undefined {
  const all = [...new Set([...(said ?? []), ...typedPrivate(seeds)])];
  return all.length === 0 ? undefined : all;
}

/**
 * Origins that were typed and can only be private: exactly those are allowed. A public name that leads to a
 * private address stays refused, because its owner, not the person here, decides where it leads.
 */
export function typedPrivate(seeds: readonly string[]): string[] {
  const urls = seeds.flatMap((seed) => seedUrl(seed));
  return [...new Set(urls.filter((url) => isPrivateName(hostOf(url))).map(originOf))];
}

/** Names that exist in no public DNS (RFC 6761, 6762, 8375 and common use), and address literals. */
function isPrivateName(host: string): boolean {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return true;
  if (!host.includes('.')) return true;
  return /\.(?:localhost|local|test|internal|lan|intranet|home|corp|home\.arpa)$/.test(host);
}

/** The first seed's most likely meaning, for names and words before anything is asked. */
export function firstSeed(seeds: readonly string[]): Url {
  const url = seeds[0] === undefined ? undefined : seedUrl(seeds[0])[0];
  if (url === undefined)
    throw new WebfarerError('usage', 'Nothing to crawl.', { next: 'Try:  webfarer crawl example.org' });
  return url;
}

/**
 * A crawl that stays on the seeds' own site has one limit, `--limit`: budgets per host and site are there
 * to keep one giant from eating a crawl of the whole web.
 */
function ownBudgets({ stay }: CrawlOptions) {
  if (stay === 'web') return {};
  return { perHost: { pages: 'none' as const }, perSite: { pages: 'none' as const } };
}
