import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openWeb } from '../test/fake-web/site-process.ts';

/**
 * `npm run dev`: the fake web S and a crawl of it with the live view, from the sources as they are. Ctrl-C
 * and run it again: it goes on. What follows `--` goes to the crawl: `npm run dev -- --fresh`.
 */
const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'build/dev');

// The same ports each time: they stand in the URLs, and the crawl shall go on.
const { web, started, stop } = await openWeb({
  size: 'S',
  seed: 1,
  httpPort: 12_080,
  httpsPort: 12_443,
  dnsPort: 12_053,
});
const job = {
  name: 'fake-web',
  seeds: web.seeds(),
  contact: 'mailto:dev@webfarer.test',
  scope: { stay: 'web' },
  limits: { perHost: { pages: web.hostBudget() } },
  politeness: { gap: '200ms' },
  robots: { giveUpAfter: '20s' },
  fetch: {
    retries: { backoff: '1s' },
    dns: [`127.0.0.1:${started.dnsPort}`],
    ca: started.caFile,
    allowPrivate: ['127.0.0.0/8'],
  },
};
mkdirSync(folder, { recursive: true });
// JSON is YAML.
writeFileSync(join(folder, 'job.yml'), `${JSON.stringify(job, null, 2)}\n`);

const main = join(root, 'packages/cli/src/bin.ts');
const crawl = spawn(process.execPath, [main, 'run', 'job.yml', ...process.argv.slice(2)], {
  cwd: folder,
  stdio: 'inherit',
});
// Ctrl-C reaches the crawl too, and the web must stand until it has finished its requests.
process.on('SIGINT', () => undefined);
crawl.once('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 130);
  void stop();
});
