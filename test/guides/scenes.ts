import { fenceOf } from './page-commands.ts';

/** Pages whose commands are typed one after another in one folder, and what their reader has there already. */
export interface Scene {
  name: string;
  pages: readonly string[];
  /** Shell lines before the first command. */
  before: string;
  /** Files in the folder. */
  files: Readonly<Record<string, string>>;
  /** Texts of the commands that stand for something of the reader's own: an address, an id. */
  instead: Readonly<Record<string, string>>;
  /** Beginnings of commands that run until they are stopped: they must print something. */
  lasting: readonly string[];
  /** Commands that ask a person: `--yes` answers. */
  asking: readonly string[];
  /** Shell lines after the last command, each of which must succeed. */
  after: string;
}

const plain = { files: {}, instead: {}, lasting: [], asking: [], before: '' } as const;

/** The only site of the lab is example.org; its gap is short. */
const jobOf = (name: string, seeds = 'https://example.org/') =>
  `name: ${name}\nseeds: [${seeds}]\ncontact: you@example.net\npoliteness: { gap: 10ms }\nfetch: { proxy: [{ use: LAB_PROXY }] }\n`;
const coordinator = 'http://127.0.0.1:7311';

/** Until the worker has sent what it sees of its machine. */
const startWorker = [
  'file data/worker.token',
  'file data/operator.token',
  `ready ${coordinator}`,
  `webfarer worker ${coordinator} --token-file data/worker.token &`,
  `TOKEN=$(cat data/operator.token) URL=${coordinator}`,
  `seen() { curl -s -H "Authorization: Bearer $TOKEN" ${coordinator}/v1/resources | jq -e '.machines[1]'; }`,
  'for n in $(seq 100); do seen && break; sleep 0.2; done',
].join('\n');

/** A guide of one command that is run as it stands, with the folder that it leaves. */
function migration(from: string, after: string, files: Record<string, string> = {}): Scene {
  return { ...plain, name: `from ${from}`, pages: [`docs/from-${from}`], files, after };
}

export const scenes: readonly Scene[] = [
  migration('wget', 'test -s example.org.crawl/mirror/example.org/index.html'),
  migration('browsertrix', 'test -s example.org.wacz'),
  migration('crawlee', 'webfarer explain https://example.org/tools | grep -q done'),
  migration('firecrawl', 'ls example.org.crawl/markdown/example.org/*.md'),
  migration('heritrix', 'webfarer warc ls archive.crawl | grep -q example.org/tools', {
    'job.yml': jobOf('archive'),
  }),
  migration('scrapy', `grep -q '"h1":"A chisel"' shop.crawl/items.jsonl`, {
    'shop.yml': `${jobOf('shop')}extract:\n  - fields: { h1: { css: h1 } }\n`,
  }),
  {
    ...plain,
    name: 'one folder',
    pages: ['docs/challenges', 'docs/library', 'docs/upgrades', 'docs/identity', 'docs/sizing'],
    before: [
      'webfarer run lab.yml --quiet --out shop.crawl',
      'mkdir worker-1 worker-2',
      'cp -r shop.crawl worker-1',
      'cp -r shop.crawl worker-2',
    ].join('\n'),
    files: {
      'lab.yml': jobOf('shop'),
      'shop.yml': jobOf('shop'),
      'shop.ts': fenceOf('docs/library', 'ts'),
    },
    instead: { '--out shop.crawl': '--out again.crawl' },
    after: 'webfarer warc ls again.crawl | grep -q example.org/tools',
  },
  {
    ...plain,
    name: 'forgetting',
    pages: ['docs/forget'],
    files: { 'news.yml': jobOf('news', 'https://example.org/, https://example.net/') },
    before: [
      'webfarer coordinator --data ./here --with-worker &',
      'file here/operator.token',
      `ready ${coordinator}`,
      'export WEBFARER_TOKEN=$(cat here/operator.token)',
      `webfarer start news.yml --at ${coordinator}`,
      `webfarer results news --follow --at ${coordinator} | grep -q example.org/tools/chisel`,
      'webfarer run news.yml --quiet',
    ].join('\n'),
    asking: [
      'webfarer forget example.org ./news.crawl',
      'webfarer forget example.org ./news.crawl --subdomains',
      `webfarer forget example.org news --at ${coordinator}`,
    ],
    instead: { 'https://crawler.example:7700': coordinator },
    after: 'webfarer warc ls news.crawl | grep example.net\n! webfarer warc ls news.crawl | grep example.org',
  },
  {
    ...plain,
    name: 'at a coordinator',
    pages: [
      'docs/api',
      'docs/resources',
      'docs/stream',
      'docs/schedules',
      'docs/webhooks',
      'docs/metrics',
      'docs/network',
    ],
    before: 'ln -s data museums && ln -s data webfarer-coordinator',
    files: { 'job.yml': jobOf('museums'), 'museums.yml': jobOf('museums') },
    instead: {
      'webfarer coordinator --data ./data': `webfarer coordinator --data ./data & ${startWorker} #`,
      'http://first:7311': coordinator,
      e5dd2966: `$(curl -s -H "Authorization: Bearer $TOKEN" ${coordinator}/v1/workers | jq -r '.items[0].worker')`,
      '/shop/': '/museums/',
      'crawl=shop': 'crawl=museums',
      '…/v1': `${coordinator}/v1`,
      'AR…': `'"$(curl -s -H "Authorization: Bearer $TOKEN" ${coordinator}/v1/crawls/museums/results?limit=1 | jq -rs '.[0].token')"'`,
    },
    lasting: ['webfarer top', 'curl -N -H "Authorization: Bearer $TOKEN" \'http://127.0.0.1:7311/v1/events'],
    after: 'test -s prometheus.token',
  },
  {
    ...plain,
    name: 'console',
    pages: ['docs/console'],
    lasting: ['webfarer console example.org.crawl'],
    instead: {
      'crawl example.org --ui': 'crawl example.org --gap 10ms --ui',
      'webfarer coordinator --data ./data --with-worker': `webfarer coordinator --data ./data --with-worker & file data/operator.token; ready ${coordinator} #`,
    },
    after: 'test -s data/operator.token',
  },
  {
    ...plain,
    name: 'with a store',
    pages: ['docs/savers', 'docs/secrets'],
    before: [
      'redis-server --port 6379 --save "" --appendonly no > redis.log &',
      'for n in $(seq 100); do redis-cli -p 6379 ping && break; sleep 0.1; done',
      'echo redis://127.0.0.1:6379 > store.url && chmod 600 store.url',
    ].join('\n'),
    instead: {
      'crawl example.org': 'crawl example.org --gap 10ms',
      '1a2b3c4d5e': `$(webfarer token ls --store-file store.url --json | jq -r '.tokens[-1].id')`,
    },
    after: 'redis-cli -p 6379 --scan | grep -q example.org',
  },
  {
    ...plain,
    name: 'tracing',
    pages: ['docs/tracing'],
    files: { 'tracing.mjs': fenceOf('docs/tracing', 'js') },
    instead: {
      'crawl example.org': 'crawl example.org --gap 10ms --quiet',
      '--trace': '--trace > spans.txt',
    },
    after: `grep -q "name: 'webfarer.url'" spans.txt`,
  },
];
