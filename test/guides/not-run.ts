import type { DocCommand } from './page-commands.ts';

export interface NotRun {
  page: string;
  /** How the command begins. */
  starts: string;
  /** Where it is run instead, or what it needs that no test machine has. */
  why: string;
}

const others = 'a program of others, shown for comparison';
const fetched = 'installs packages; the checkout has them';
const containers = 'needs a container engine; `prove deploy` runs the same steps without one';
const cluster = 'needs a Kubernetes cluster; `prove deploy` lints the chart';
const system = 'changes the system; `prove deploy` checks the units and runs what they start';
const atScreen = 'needs a person at a browser; the tests in test/login do it with a browser of their own';
const benches = 'measures for minutes; CI runs each bench and proof in its quick form';

/** Commands of the docs that `prove guides` does not run. A command that is neither run nor here makes it fail. */
export const notRun: readonly NotRun[] = [
  ...['npx webfarer crawl', 'npx webfarer explain', 'npx webfarer init'].map((starts) => ({
    page: 'README',
    starts,
    why: '`prove install` types it in an empty folder',
  })),
  { page: 'docs/deploying', starts: 'docker ', why: containers },
  { page: 'docs/deploying', starts: 'cd deploy/compose', why: containers },
  { page: 'docs/deploying', starts: './make-secrets', why: containers },
  { page: 'docs/deploying', starts: 'kubectl ', why: cluster },
  { page: 'docs/deploying', starts: 'helm ', why: cluster },
  { page: 'docs/deploying', starts: 'npm install', why: system },
  { page: 'docs/deploying', starts: 'install ', why: system },
  { page: 'docs/deploying', starts: 'systemctl ', why: system },
  {
    page: 'docs/first-network',
    starts: 'webfarer ',
    why: '`prove first-network` types it in an empty folder',
  },
  ...['./coordinator-2', './worker-7', './coordinator-1'].map((folder) => ({
    page: 'docs/forget',
    starts: `webfarer forget example.org ${folder}`,
    why: 'needs several processes on one store; `prove one-dataset` runs it in the folders of all of them',
  })),
  { page: 'docs/from-browsertrix', starts: 'docker run', why: others },
  { page: 'docs/from-crawlee', starts: 'npx crawlee', why: others },
  { page: 'docs/from-firecrawl', starts: 'curl -X POST https://api.firecrawl.dev', why: others },
  { page: 'docs/from-heritrix', starts: 'bin/heritrix', why: others },
  { page: 'docs/from-scrapy', starts: 'scrapy crawl', why: others },
  { page: 'docs/from-wget', starts: 'wget ', why: others },
  ...['webfarer coordinator', 'curl -X POST'].map((starts) => ({
    page: 'docs/site-owners',
    starts,
    why: 'needs a site whose owner asks; `prove console` is that owner on a made-up site',
  })),
  { page: 'docs/kafka', starts: 'npm install', why: fetched },
  { page: 'docs/kafka', starts: 'webfarer sink', why: 'needs a broker; `prove savers` runs it against one' },
  { page: 'docs/mcp', starts: 'npm install', why: fetched },
  { page: 'docs/mcp', starts: 'webfarer mcp --http', why: '`prove mcp` runs it on a free port' },
  {
    page: 'docs/network',
    starts: 'webfarer coordinator example.org --data ./data --listen 0.0.0.0:7311',
    why: 'needs a public name and its certificate; `prove secrets` runs both parts with TLS on the loopback',
  },
  {
    page: 'docs/network',
    starts: 'webfarer worker https://crawl.example.org:7311',
    why: 'needs a public name and its certificate; `prove secrets` runs both parts with TLS on the loopback',
  },
  { page: 'docs/object-storage', starts: 'npm install', why: fetched },
  {
    page: 'docs/object-storage',
    starts: 'export AWS_',
    why: 'needs an S3 server; `prove one-dataset` has one',
  },
  {
    page: 'docs/object-storage',
    starts: 'webfarer ',
    why: 'needs an S3 server; `prove one-dataset` has one',
  },
  { page: 'docs/performance', starts: 'npm run', why: benches },
  { page: 'docs/rendering', starts: 'npm install', why: fetched },
  {
    page: 'docs/rendering',
    starts: 'webfarer warc cat',
    why: 'needs a crawl with a browser; test/library/shown-pages.test.ts has one',
  },
  {
    page: 'docs/rendering',
    starts: 'WEBFARER_BROWSER=',
    why: 'needs a browser elsewhere; test/library/browser-elsewhere.test.ts starts one',
  },
  {
    page: 'docs/rendering',
    starts: 'chromium-headless-shell',
    why: 'runs as root only without its sandbox; test/library/browser-elsewhere.test.ts starts one',
  },
  { page: 'docs/site-logins', starts: 'webfarer login', why: atScreen },
  { page: 'docs/tracing', starts: 'npm install', why: fetched },
];

export function isListed({ page, text }: DocCommand): boolean {
  return notRun.some((each) => each.page === page && text.startsWith(each.starts));
}

/** Entries that no command of the docs matches any more. */
export function stale(commands: readonly DocCommand[]): NotRun[] {
  return notRun.filter(
    ({ page, starts }) => !commands.some((each) => each.page === page && each.text.startsWith(starts)),
  );
}
