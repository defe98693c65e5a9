import { type SchemaNode, schemaAt } from '@webfarer/protocol/job';

/** Things of the world under test that values lead to. */
export interface Lures {
  /** The site that all may crawl. */
  site: string;
  /** A file that no job may read. */
  file: string;
  /** A folder that no job may write to; each try has a name of its own. */
  folder: string;
  /** Host and port of a listener in the private network. */
  listener: string;
}

export type Fragment = Record<string, unknown>;

/** Fields whose type alone does not say what is valid. Each value asks for nothing but the public web. */
function plainValues({ site, file, folder, listener }: Lures): Record<string, unknown> {
  const selectors = [
    'steps[].do[].waitFor',
    'steps[].do[].waitFor[]',
    'steps[].do[].click',
    'steps[].do[].click[]',
    'steps[].do[].click.on',
    'steps[].do[].click.on[]',
    'steps[].do[].type.into',
    'steps[].do[].type.into[]',
    'steps[].do[].select.in',
    'steps[].do[].select.in[]',
    'steps[].do[].scroll.in',
    'steps[].do[].scroll.in[]',
    'steps[].do[].expand',
    'steps[].do[].expand[]',
    'steps[].do[].expand.all',
    'steps[].do[].expand.all[]',
    'steps[].do[].dismiss',
    'steps[].do[].dismiss[]',
    'extract[].each',
    'extract[].fields.*',
    'extract[].fields.*.css',
    'login[].check.selector',
  ];
  return {
    ...Object.fromEntries(selectors.map((path) => [path, 'main p'])),
    $schema: 'https://lab.test/job.json',
    name: 'named',
    team: 'team-a',
    contact: 'https://lab.test/crawler',
    policy: 'lab',
    'policy.name': 'lab',
    'policy.version': 1,
    'seeds[]': `${site}/page-1`,
    'seeds[].sitemap': `${site}/sitemap.xml`,
    'seeds[].file': file,
    'normalise.strip[]': 'sid',
    'limits.bytes': '1GB',
    'limits.duration': '1m',
    'limits.perHost.bytes': '1GB',
    'limits.perSite.bytes': '1GB',
    'limits.minFree': '1MB',
    'retention.keep': '90d',
    'thresholds.*': '< 100%',
    itemKey: 'id',
    'itemKey[]': 'id',
    'politeness.gap': '300ms',
    'politeness.slowFactor': 2,
    'politeness.perAddress': 2,
    'politeness.crawlDelayMax': '30s',
    'politeness.retryAfterMax': '1h',
    'politeness.ownHosts[]': 'b.example',
    'politeness.hosts[].match': 'b.example',
    'politeness.hosts[].gap': '300ms',
    'robots.ignoreFor[]': 'b.example',
    'robots.giveUpAfter': '2s',
    'robots.maxAge': '1h',
    'fetch.timeout': '20s',
    'fetch.handlerTimeout': '1m',
    'fetch.maxBody': '1MB',
    'fetch.maxDecoded': '2MB',
    'fetch.retries.backoff': '1s',
    'fetch.types.save[]': 'text/*',
    'fetch.types.ignore[]': 'video/*',
    'fetch.userAgent': 'lab/1 (+{contact})',
    'fetch.headers.*': 'own',
    'fetch.ports': 'safe',
    'fetch.ports[]': 8080,
    'fetch.proxy[].use': 'direct',
    'fetch.allowPrivate[]': listener,
    'fetch.dns[]': listener,
    'fetch.ca': file,
    'identity.directory': 'https://crawler.lab.test',
    'identity.key': file,
    'identity.hosts[]': 'b.example',
    'login[].site': 'b.example',
    'login[].as': 'ada',
    'login[].check.text': 'Log out',
    'login[].form': 'https://b.example/log-in',
    'login[].gap': '1s',
    'steps[].do[].waitFor.text': 'Welcome',
    'steps[].do[].waitFor.expression': 'true',
    'steps[].do[].type.text': 'shoes',
    'steps[].do[].type.fromEnv': 'WEBFARER_TYPE_LAB',
    'steps[].do[].press': 'Enter',
    'steps[].do[].select.value': 'one',
    'steps[].do[].timeout': '1s',
    'steps[].recording': file,
    'scraper.ids.find': 'id=([0-9]+)',
    'scraper.ids.template': `${site}/item/{id}`,
    'extract[].fields.*.jsonLd': 'Product.name',
    'extract[].fields.*.microdata': 'Product.name',
    'extract[].fields.*.openGraph': 'title',
    'extract[].fields.*.regex': 'price ([0-9]+)',
    'extract[].fields.*.default': 'none',
    'save[].warc.rotate': '500MB',
    'save[].warc.storage': 'archive',
    'save[].warc.s3.endpoint': `http://${listener}`,
    'save[].warc.s3.region': 'eu-central-1',
    'save[].warc.s3.timeout': '5s',
    'save[].files.name': '{host}/{path}',
    'save[].tar.name': '{host}/{path}',
    'save[].markdown.name': '{host}/{path}',
    'save[].redis.key': 'webfarer:{crawl}:page:{hash}',
    'save[].redis.maxBody': '1MB',
    'save[].redis.ttl': '1h',
    'save[].none': {},
    'files.types[]': 'pdf',
    'mirror.folder': folder,
    store: `redis://${listener}`,
    'store.url': `redis://${listener}`,
  };
}

/** What a field is not valid without. The first that fits is put under it. */
const companions: [RegExp, Fragment][] = [
  [/^policy\./, { policy: { name: 'lab', version: 1 } }],
  [/^urlRules\[\]\.priority/, { order: 'best-first' }],
  [/^urlRules\[\]\.(?:match|unless)/, { urlRules: [{ cost: 1 }] }],
  [
    /^politeness\.hosts\[\]\.connections/,
    { politeness: { hosts: [{ match: 'b.example', connections: 1 }] } },
  ],
  [/^politeness\.hosts\[\]\.block/, { politeness: { hosts: [{ match: 'b.example' }] } }],
  [/^politeness\.hosts\[\]/, { politeness: { hosts: [{ match: 'b.example', gap: '300ms' }] } }],
  [/^robots\.ignoreFor/, { robots: { obey: false } }],
  [/^fetch\.proxy\[\]\.(?:match|unless)/, { fetch: { proxy: [{ use: 'direct' }] } }],
  [/^identity\.(?:key|hosts)/, { identity: { directory: 'https://crawler.lab.test' } }],
  [/^login\[\]\.check\.pages/, { login: [{ site: 'b.example', as: 'ada', check: { selector: 'main p' } }] }],
  [/^login\[\]\.check/, { login: [{ site: 'b.example', as: 'ada' }] }],
  [/^login\[\]/, { login: [{ site: 'b.example', as: 'ada', check: 'status' }] }],
  [/^render\[\]\.match/, { render: [{ do: 'never' }] }],
  [/^(?:screenshots|pdf)/, { render: 'auto' }],
  [/^steps\[\]\.pages/, { render: 'auto', steps: [{ do: [{ press: 'Enter' }] }] }],
  [/^steps\[\]\.do\[\]\.click\.times/, { render: 'auto', steps: [{ do: [{ click: { on: 'main p' } }] }] }],
  [/^steps\[\]\.do\[\]\.type\.into/, { render: 'auto', steps: [{ do: [{ type: { text: 'shoes' } }] }] }],
  [/^steps\[\]\.do\[\]\.type\./, { render: 'auto', steps: [{ do: [{ type: { into: 'main p' } }] }] }],
  [/^steps\[\]\.do\[\]\.select\.in/, { render: 'auto', steps: [{ do: [{ select: { value: 'one' } }] }] }],
  [/^steps\[\]\.do\[\]\.select\./, { render: 'auto', steps: [{ do: [{ select: { in: 'main p' } }] }] }],
  [/^steps\[\]\.do\[\]\.expand\.most/, { render: 'auto', steps: [{ do: [{ expand: { all: 'main p' } }] }] }],
  [/^steps\[\]\.do\[\]\.(?:timeout|optional)/, { render: 'auto', steps: [{ do: [{ press: 'Enter' }] }] }],
  [/^steps/, { render: 'auto' }],
  [/^scraper\.ids\.find/, { scraper: { ids: { template: 'https://b.example/{id}' } } }],
  [/^scraper\.ids\.template/, { scraper: { ids: { find: 'id=([0-9]+)' } } }],
  [
    /^extract\[\]\.fields\.\*\.(?:type|list|required|default)/,
    { extract: [{ fields: { x: { css: 'h1' } } }] },
  ],
  [/^extract\[\]\.(?:each|pages)/, { extract: [{ fields: { x: 'h1' } }] }],
  [/^itemKey/, { extract: [{ fields: { id: 'h1' } }] }],
  [/^save\[\]\.warc\.s3/, { save: [{ warc: { at: 's3://lab-archive/x' } }] }],
  [/^save\[\]\.tar\.gzip/, { save: [{ tar: {} }] }],
  [/^files\.from/, { files: { types: ['pdf'] } }],
  [/^store\./, { store: { url: 'redis://127.0.0.1:1' } }],
];

const expression = '^https?://';

/** The job that sets this field and as little else as it can; undefined: nobody has said what is valid there. */
export function bodyOf(path: string, lures: Lures): Fragment | undefined {
  const value = valueOf(path, lures);
  if (value === undefined) return undefined;
  const own = nested(namedSteps(path), value) as Fragment;
  const [, beside] = companions.find(([fits]) => fits.test(path)) ?? [];
  const withFlags = path.endsWith('.flags')
    ? (nested(stepsOf(path.replace(/flags$/, 'regex')), expression) as Fragment)
    : {};
  return merged(merged(beside ?? {}, withFlags), own);
}

function valueOf(path: string, lures: Lures): unknown {
  const plain = plainValues(lures)[path];
  if (plain !== undefined) return plain;
  if (path.endsWith('.regex')) return expression;
  if (path.endsWith('.flags')) return 'i';
  const places = stepsOf(path).map((step) => (step === '[]' ? 0 : step === '*' ? 'x' : step));
  const nodes = schemaAt(places) as (SchemaNode & { minimum?: number })[];
  for (const { const: only, enum: words, type, minimum } of nodes) {
    if (only !== undefined) return only;
    if (words !== undefined) return words[0];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return Math.max(1, minimum ?? 1);
  }
  // A pattern of URLs: all other texts are named above.
  const isPattern = nodes.some(({ type }) => type === 'string') && patternFields.test(path);
  return isPattern ? '/lab/**' : undefined;
}

const patternFields =
  /^(?:scope\.(?:in|ex)clude\[\]|urlRules\[\]\.(?:match|unless)|labels\.\*(?:\[\])?|files\.from(?:\[\])?|scraper\.links\.follow\[\]|render\[\]\.match(?:\[\])?|steps\[\]\.pages(?:\[\])?|extract\[\]\.pages(?:\[\])?|fetch\.proxy\[\]\.(?:match|unless)|login\[\]\.check\.(?:url|pages))$/;

/** `labels.*[].regex` as labels, *, [], regex. */
export const stepsOf = (path: string): string[] => path.match(/\[\]|[^.[\]]+/g) ?? [];

/** Names that are not free: thresholds are of verdicts and reasons. */
const namedSteps = (path: string): string[] => stepsOf(path.replace('thresholds.*', 'thresholds.failed'));

function nested([step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const inside = nested(rest, value);
  if (step === '[]') return [inside];
  return { [step === '*' ? 'x' : step]: inside };
}

/** The second over the first; of lists, place by place. */
export function merged(under: Fragment, over: Fragment): Fragment {
  const all: Fragment = { ...under };
  for (const [key, value] of Object.entries(over)) all[key] = mergedValue(under[key], value);
  return all;
}

function mergedValue(under: unknown, over: unknown): unknown {
  if (Array.isArray(under) && Array.isArray(over))
    return over.map((one: unknown, n) => mergedValue(under[n], one));
  return isFragment(under) && isFragment(over) ? merged(under, over) : over;
}

const isFragment = (value: unknown): value is Fragment =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
