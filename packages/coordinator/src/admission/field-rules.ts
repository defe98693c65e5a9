import { defaultPerAddress, type JobLeaf, parseDuration, parseSize } from '@webfarer/protocol/job';

/**
 * Who may set a field of a job over the API. `operator`: every team, for itself. `secret`: the same, but the value
 * reaches nobody else through a policy. `admin`: only admins, because it reaches files, code or private addresses of
 * the machines, or other people's sites. `nobody`: the coordinator decides. A function: operators while it holds,
 * admins otherwise.
 */
export type FieldRule = 'operator' | 'secret' | 'admin' | 'nobody' | ((leaf: JobLeaf) => boolean);

/** On hosts that nobody has shown to own, an operator keeps at least this pause and waits with a host that is slow. */
const leastGapMs = 200;
/** A host that rests, rests for the crawls of all teams: an operator keeps it from them for no longer than this. */
export const mostOwnGapMs = 600_000;
const leastSlowFactor = 1;
/**
 * While a host is asked, and while it rests after trouble, no other crawl is served on it. A request that is given too
 * little time makes trouble where there is none.
 */
const [leastTimeoutMs, mostTimeoutMs, mostBackoffMs] = [1_000, 600_000, 60_000];
/** A host that is overloaded, or asks to be left alone, is not asked again at the pace of the gap. */
const leastBackoffMs = 1_000;
/** The shorter of this and the Retry-After holds, for the crawls of all teams; 24 h is the job's default. */
const [leastRetryAfterMs, mostRetryAfterMs] = [3_600_000, 86_400_000];
/** A host with an unreadable robots.txt rests for half of this. */
const mostGiveUpMs = 2 * mostOwnGapMs;
/** Above it, a crawl could claim memory and disks that other crawls work with. */
const mostBodyBytes = 100_000_000;
const mostDecodedBytes = 500_000_000;
const mostMinFreeBytes = 10_000_000_000;
/** Keys of a crawl's own, on a server that all crawls may share. */
const ownKeys = 'webfarer:{crawl}:';

const among =
  (...words: readonly unknown[]): FieldRule =>
  ({ value }) =>
    words.includes(value);

const durationWithin =
  (leastMs: number, mostMs: number): FieldRule =>
  ({ value }) => {
    const ms = value === 0 ? 0 : (parseDuration(String(value)) ?? 0);
    return ms >= leastMs && ms <= mostMs;
  };
const gapOf = durationWithin(leastGapMs, mostOwnGapMs);

const sizeUpTo =
  (most: number): FieldRule =>
  ({ value }) =>
    (typeof value === 'number' ? value : (parseSize(String(value)) ?? Number.POSITIVE_INFINITY)) <= most;

/** Whoever writes an expression, the time it takes is bounded: the job's schema refuses others. */
const patterns = (...paths: readonly string[]): Record<string, FieldRule> =>
  Object.fromEntries(
    paths.flatMap((path): [string, FieldRule][] =>
      ['', '.regex', '.flags'].map((more) => [`${path}${more}`, 'operator']),
    ),
  );

const all = (rule: FieldRule, paths: string): Record<string, FieldRule> =>
  Object.fromEntries(
    paths
      .trim()
      .split(/\s+/)
      .map((path) => [path, rule]),
  );

/** Every field of a job has an entry; one without is refused, and a test fails. */
export const fieldRules: Readonly<Record<string, FieldRule>> = {
  ...all('nobody', 'store store.url store.durability store.insecure store.backlog'),
  ...all(
    'operator',
    `$schema name team contact policy policy.name policy.version seeds[] seeds[].sitemap order
    scope.stay scope.requisites urlRules[].cost urlRules[].priority
    normalise.enabled normalise.sort normalise.strip[]
    limits.pages limits.bytes limits.duration limits.depth limits.cost
    limits.perHost.pages limits.perHost.bytes limits.perSite.pages limits.perSite.bytes
    retention.keep thresholds.* processes itemKey itemKey[]`,
  ),
  ...patterns('scope.include[]', 'scope.exclude[]', 'urlRules[].match', 'urlRules[].unless'),
  ...patterns('labels.*', 'labels.*[]', 'files.from', 'files.from[]', 'scraper.links.follow[]'),
  ...patterns('render[].match', 'render[].match[]', 'steps[].pages', 'steps[].pages[]'),
  ...patterns('extract[].pages', 'extract[].pages[]'),
  'seeds[].file': 'admin',
  'limits.minFree': sizeUpTo(mostMinFreeBytes),

  ...all(
    'operator',
    `politeness.perHost politeness.crawlDelayMax politeness.connections
    politeness.hosts[].match politeness.hosts[].connections politeness.hosts[].block
    robots.obey robots.sitemaps robots.maxAge`,
  ),
  // What only the owner of a host may waive.
  ...all('admin', 'politeness.ownHosts[] robots.ignoreFor[]'),
  'politeness.gap': gapOf,
  'politeness.hosts[].gap': gapOf,
  'politeness.retryAfterMax': durationWithin(leastRetryAfterMs, mostRetryAfterMs),
  'robots.giveUpAfter': durationWithin(0, mostGiveUpMs),
  'politeness.slowFactor': ({ value }) => Number(value) >= leastSlowFactor,
  'politeness.perAddress': ({ value }) => Number(value) <= defaultPerAddress,

  ...all(
    'operator',
    `fetch.redirects fetch.retries.count fetch.retries.deadAfter
    fetch.retries.poisonAfter fetch.types.save[] fetch.types.ignore[] fetch.userAgent fetch.handlerTimeout
    identity.directory identity.hosts[]`,
  ),
  'fetch.timeout': durationWithin(leastTimeoutMs, mostTimeoutMs),
  'fetch.retries.backoff': durationWithin(leastBackoffMs, mostBackoffMs),
  'fetch.headers.*': 'secret',
  'fetch.maxBody': sizeUpTo(mostBodyBytes),
  'fetch.maxDecoded': sizeUpTo(mostDecodedBytes),
  'fetch.cookies': among(true, false),
  'fetch.ports': among('safe'),
  'fetch.proxy[].use': among('direct'),
  ...patterns('fetch.proxy[].match', 'fetch.proxy[].unless'),
  ...all('admin', 'fetch.ports[] fetch.allowPrivate[] fetch.dns[] fetch.ca identity.key'),

  ...all(
    'admin',
    `login[].site login[].as login[].check login[].check.selector login[].check.text login[].check.url
    login[].check.url.regex login[].check.url.flags login[].check.pages login[].check.pages.regex
    login[].check.pages.flags login[].form login[].gap`,
  ),

  ...all(
    'operator',
    `render render[].do screenshots screenshots[] pdf
    steps[].do[].waitFor steps[].do[].waitFor[] steps[].do[].waitFor.text steps[].do[].waitFor.expression
    steps[].do[].click steps[].do[].click[] steps[].do[].click.on steps[].do[].click.on[]
    steps[].do[].click.times steps[].do[].type.into steps[].do[].type.into[] steps[].do[].type.text
    steps[].do[].press steps[].do[].select.in steps[].do[].select.in[] steps[].do[].select.value
    steps[].do[].scroll steps[].do[].scroll.in steps[].do[].scroll.in[] steps[].do[].scroll.most
    steps[].do[].scroll.top steps[].do[].scroll.left steps[].do[].expand steps[].do[].expand[]
    steps[].do[].expand.all steps[].do[].expand.all[] steps[].do[].expand.most
    steps[].do[].dismiss steps[].do[].dismiss[] steps[].do[].timeout steps[].do[].optional`,
  ),
  // A file beside the job, and a variable of the machine's environment.
  ...all('admin', 'steps[].recording steps[].do[].type.fromEnv'),

  scraper: among('links', 'ids', 'site'),
  ...all('operator', 'scraper.ids.find scraper.ids.template scraper.site.check'),
  ...all(
    'operator',
    `extract[].each extract[].fields.* extract[].fields.*.css extract[].fields.*.regex extract[].fields.*.jsonLd
    extract[].fields.*.microdata extract[].fields.*.openGraph extract[].fields.*.page extract[].fields.*.type
    extract[].fields.*.list extract[].fields.*.required extract[].fields.*.default`,
  ),

  'save[]': among('warc', 'files', 'tar', 'markdown', 'redis', 'none'),
  'save[].warc.at': among('worker', 'coordinator'),
  'save[].redis.key': ({ value }) => String(value).startsWith(ownKeys),
  ...all(
    'operator',
    `save[].warc.rotate save[].warc.dedupe save[].warc.storage save[].files.name save[].tar.name save[].tar.compress save[].tar.gzip
    save[].markdown.as save[].markdown.name save[].markdown.main save[].markdown.content
    save[].redis.maxBody save[].redis.ttl save[].none files.types[]`,
  ),
  ...all(
    'admin',
    `save[].warc.s3.endpoint save[].warc.s3.region save[].warc.s3.pathStyle save[].warc.s3.timeout
    save[].warc.s3.allowPrivate mirror.folder`,
  ),
};

/**
 * What an operator may change in a job that holds settings of an admin. All else could turn those against something
 * they were not meant for: type a password into another site, read another private address.
 */
export const harmlessChanges: ReadonlySet<string> = new Set(
  `limits.pages limits.bytes limits.duration limits.depth limits.cost limits.minFree
  limits.perHost.pages limits.perHost.bytes limits.perSite.pages limits.perSite.bytes
  politeness.gap politeness.slowFactor politeness.crawlDelayMax politeness.retryAfterMax politeness.connections
  politeness.hosts[].match politeness.hosts[].gap politeness.hosts[].block
  fetch.timeout fetch.maxBody fetch.maxDecoded fetch.retries.count fetch.retries.backoff fetch.retries.deadAfter
  fetch.retries.poisonAfter order urlRules[].cost urlRules[].priority contact retention.keep thresholds.*`.split(
    /\s+/,
  ),
);
