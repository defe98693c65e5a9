import { crawl, type Credentials } from '../../packages/cli/src/index.ts';

/** `library-program.ts FOLDER CA`: a crawl by a program of a user's own, with credentials from its environment. */
const [folder = '', ca = ''] = process.argv.slice(2);
const credentials = JSON.parse(process.env.SITE_CREDENTIALS ?? '{}') as Record<string, Credentials>;
const { balance } = await crawl({
  name: 'program',
  folder,
  seeds: Object.keys(credentials).map((origin) => `${origin}/`),
  contact: 'https://lab.test/',
  scope: { stay: 'web' },
  politeness: { gap: '5ms' },
  limits: { minFree: '1MB' },
  fetch: { allowPrivate: ['127.0.0.0/8'], ca },
  hostLedger: `${folder}.ledger`,
  credentials,
  onPage: (page, { follow }) => follow(page.links),
});
console.log(JSON.stringify(balance));
