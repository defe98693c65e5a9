import { jobJsonSchema, unsafePorts } from '@webfarer/protocol/job';
import { code, generated, table } from './markdown.ts';

/** A node of the job's JSON Schema, as far as this page shows it. */
interface Node {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  anyOf?: Node[];
}

export function jobFilePage(): string {
  const { properties = {} } = jobJsonSchema() as Node;
  const fields = Object.entries(properties).filter(([name]) => name !== '$schema');
  const flat = fields.filter(([, node]) => node.properties === undefined);
  const sections = fields.filter(([, node]) => node.properties !== undefined);
  return [
    generated,
    intro,
    fieldTable(flat),
    ...sections.flatMap(([name, node]) => [
      `## ${name}`,
      `${node.description ?? ''}.`,
      fieldTable(leaves(node, '')),
      ...(notes[name] === undefined ? [] : [notes[name]]),
    ]),
    ...extractSection(properties.extract ?? {}),
    '## Alternatives',
    'Where a field may be a word or a word with options:',
    alternatives(fields),
    values,
  ]
    .join('\n\n')
    .concat('\n');
}

/** What a section needs said beyond its table. */
const notes: Record<string, string> = {
  politeness: `\`perAddress\` protects a server that has thousands of host names. A request that finds its address busy
waits its turn, first come, first served; \`fetch.timeout\` starts when the turn comes. A hosting service or a CDN puts many
unrelated sites behind one address, so 1 makes a wide crawl slow: raise the number for such a crawl, lower it for a farm
on a small server. The cap does not hold for:

- addresses that are not public, which only \`fetch.allowPrivate\` opens
- requests through a proxy, which looks up the name itself, so that the address is unknown here
- \`ownHosts\`, if \`perHost\` is larger: then \`perHost\` holds

Each process counts for itself: N processes may have N times as many requests in flight on an address.

\`hosts\` treats some hosts otherwise:

\`\`\`yaml
politeness:
  gap: 1s
  ownHosts: [www.my.example]
  hosts:
    - { match: '*.my.example', gap: 100ms }
    - { match: www.my.example, gap: 0s, connections: 8 }
    - { match: '*.slow.example', gap: 30s }
    - { match: ads.example, block: true }
\`\`\`

Of several entries that fit a host the most specific one holds, alone. A pause is never shorter than robots.txt, a slow host
or a host rule of the coordinator asks for.`,
};

/** Rules in a list, with fields by any name: shown as the tables of what they hold. */
function extractSection({ description, items = {} }: Node): string[] {
  const { fields, ...rule } = items.properties ?? {};
  const named = typeof fields?.additionalProperties === 'object' ? fields.additionalProperties : {};
  const field = named.anyOf?.find((branch) => branch.properties !== undefined) ?? {};
  return [
    '## extract',
    `${description ?? ''}.`,
    extractExample,
    'Each rule has:',
    fieldTable(Object.entries({ ...rule, ...(fields && { fields }) })),
    'Each field is a CSS selector, or has exactly one source and these options:',
    fieldTable(Object.entries(field.properties ?? {})),
    extractNotes,
  ];
}

const extractExample = `\`\`\`yaml
extract:
  - pages: /p/*
    fields:
      name: { css: h1, required: true }
      price: { jsonLd: Product.offers.price, type: number, required: true }
      image: { css: .gallery img@src, type: url }
      tags: { css: .tag, list: true }
      sku: { regex: 'SKU (\\d+)' }
      published: { page: published }
  - pages: /category/**
    each: li.product
    fields:
      name: h2
      link: { css: a@href, type: url }
\`\`\``;

const extractNotes = `The items are in \`items.jsonl\` and in \`webfarer export --items\`; after a recrawl
\`export --items --changes\` marks each as new, changed, same or gone. The scraper of the job runs too: it decides
which links are followed. A page without a required field is failed(item-invalid), and its links are not followed, so give
\`pages\` with required fields. A value that is not of its type counts as missing. Rules are for HTML pages.

- **Selectors** are CSS with the pseudo-classes that make sense on a page at rest, \`:contains(text)\` among them. \`a@href\` is the
  attribute; with \`each\`, \`@href\` is that of the element itself. On pages of more than 100,000 elements and texts they find nothing.
- **Time**: all rules together have 5 s for a page; what takes longer than a moment runs in a thread of its own. A page on which they
  take longer is failed(item-invalid).
- **Paths** in JSON-LD and microdata: a first step with a capital letter is a type, looked for at every depth. Lists are walked into,
  references by \`@id\` are followed, and an object at the end stands for its \`name\`.
- **Numbers**: \`1,234.50 €\` and \`1.234,50\` are 1234.5, \`1,234\` is 1234, \`1.234\` is 1.234. **Dates** become ISO 8601; \`03/04/2026\`
  is not read, because it means two days. **URLs** are made absolute.`;

function fieldTable(fields: readonly (readonly [string, Node])[]): string {
  return table(
    ['field', 'what', 'default', 'meaning'],
    fields.map(([name, node]) => [code(name), kind(node), shownDefault(node), node.description ?? '']),
  );
}

/** Fields in fields are one row each: `retries.count`. */
function leaves(node: Node, prefix: string): [string, Node][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]): [string, Node][] =>
    child.properties === undefined ? [[prefix + name, child]] : leaves(child, `${prefix}${name}.`),
  );
}

function shownDefault({ default: value }: Node): string {
  if (value === undefined) return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value).replaceAll('","', '", "'));
}

function kind(node: Node): string {
  if (node.enum !== undefined) return node.enum.map((value) => code(String(value))).join(' or ');
  if (typeof node.const === 'string' || typeof node.const === 'number') return code(String(node.const));
  if (node.anyOf !== undefined) return unionKind(node.anyOf);
  if (Array.isArray(node.type)) return node.type.map((type) => kind({ type })).join(' or ');
  if (node.type === 'array') return node.items === undefined ? 'list' : `list of: ${kind(node.items)}`;
  if (node.type === 'object') return node.properties === undefined ? 'names with values' : shape(node);
  return (
    { integer: 'whole number', boolean: '`true` or `false`', string: 'text' }[node.type ?? ''] ??
    node.type ??
    ''
  );
}

/** Times and sizes are unions of a text and a number; here they are what they mean. */
function unionKind(branches: readonly Node[]): string {
  const patterns = branches.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  if (patterns.some((pattern) => pattern.includes('ms|s|m|h|d'))) return 'time';
  if (patterns.some((pattern) => pattern.includes('[kmgt]i?'))) return 'size';
  return [...new Set(branches.map(kind))].join(' or ');
}

function shape({ properties = {} }: Node): string {
  const names = Object.keys(properties);
  return code(names.length === 0 ? '{}' : `{ ${names.join(', ')} }`);
}

function alternatives(fields: readonly (readonly [string, Node])[]): string {
  const rows = fields.flatMap(
    ([name, node]) => (node.items ?? node).anyOf?.flatMap((branch) => optionRows(name, branch)) ?? [],
  );
  return table(['field', 'option', 'what', 'default', 'meaning'], rows);
}

function optionRows(name: string, branch: Node): string[][] {
  return Object.entries(branch.properties ?? {}).flatMap(([word, node]) => {
    const inner = Object.entries(node.properties ?? {});
    if (inner.length === 0) return [[code(name), code(word), kind(node), '', node.description ?? '']];
    return inner.map(([option, leaf]) => [
      code(name),
      code(`${word}.${option}`),
      kind(leaf),
      shownDefault(leaf),
      leaf.description ?? '',
    ]);
  });
}

const intro = `# The job file

YAML (or JSON) that says what to crawl and how: \`webfarer run job.yml\`. Only \`seeds\` is required; everything
else has a default. \`webfarer init\` writes one to start from, \`webfarer validate job.yml\` checks it. Unknown
fields are errors, and each error shows its line with a caret. Editors complete and check it when the first
line is

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/webfarer/job.schema.json
\`\`\``;

const values = `## Values

**Times** have a unit: \`500ms\`, \`1s\`, \`10m\`, \`12h\`, \`7d\`, \`1h 30m\`. A number without a unit is an error, because
nobody can tell which one was meant; only \`0\` needs none.

**Sizes** are \`500KB\`, \`10MB\`, \`20GB\` (powers of 1,000), \`10MiB\` (powers of 1,024), or a number of bytes.

**Limits** are switched off with \`none\`.

**Globs** match URLs. \`*\` is any run of characters within a segment, \`**\` any run at all; everything else is
itself, \`?\` too. \`{seeds}\` is the host of any seed.

| glob | matches |
|---|---|
| \`https://*/collection/**\` | with a scheme: the whole URL |
| \`/p/*\` | starting with a slash: path and query, from their start |
| \`*.pdf\`, \`login/**\` | otherwise: from behind any slash |
| \`**/login/**\` | a trailing \`/**\` is the place itself and everything below it |

A query counts only if the glob gets to it: \`*.pdf\` also matches \`/a.pdf?page=2\`, and \`**?sort=**\` matches any URL
whose query begins with \`sort=\`. Globs take time in proportion to the length of glob and URL, however they are
written. \`{ regex: '[?&]sort=' }\` is a JavaScript regular expression that may match anywhere in the URL.
Expressions run in linear time: lookahead, lookbehind and backreferences are refused. A job has at most 100 of them.

**Costs** start at 0 for seeds. The first of \`urlRules\` that fits a link decides: \`cost: 1\` (or \`+1\`) adds to the
cost of the page the link is on, \`cost: '*2'\` multiplies it. A link that no rule fits costs what its page does.
What costs more than \`limits.cost\` is not followed.

**Order**: the URLs of a host are fetched as they were found, or with \`order: best-first\` by priority:

\`\`\`yaml
order: best-first
urlRules:
  - { match: '/product/**', priority: 1 }       # first
  - { match: '/search**', priority: 8 }         # when nothing better is left
  - { cost: 1 }                                 # the others by their distance from a seed
limits: { pages: 500 }
\`\`\`

The first rule that fits decides. Its \`priority\` is a number from 1 (first) to 8 (last); without one, the priority is 1 plus the
whole units of cost, 8 at most. Seeds have priority 1, sitemaps come before everything. Within a priority, URLs keep the order in
which they were found; a retry goes to the end of its priority.

| question | answer |
|---|---|
| Across hosts? | Hosts take turns by when they are due, whatever their URLs are: a host with only low priorities is served like any other. The order holds within each host. |
| How exact is it? | A worker takes up to three URLs of a host at once. A better one that it finds there meanwhile is next after those. |
| Can a URL wait forever? | On its host it waits as long as URLs with a better priority are found. Where those never end, give them a limit: \`limits.cost\`, \`limits.depth\`. |
| May I change it? | Yes, while the crawl runs: it holds for URLs found from then on. |

**Thresholds** are \`< 1%\`, \`<= 10\`, \`> 0\`, \`>= 95%\`; percentages are of all settled URLs.

**Content types**: an answer whose type does not fit \`fetch.types.save\`, or fits \`ignore\`, is refused(type) before
its body is read; one without a type counts as text/html. Page requisites and
sitemaps are read whatever their type, unless \`ignore\` names it.

**Ports**: \`safe\` is every port but ${[...unsafePorts].filter((port) => port > 0).join(', ')}.`;
