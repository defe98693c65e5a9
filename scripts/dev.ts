import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readFolder } from '../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { readLog } from '../test/fake-web/request-log.ts';
import { openWeb } from '../test/fake-web/site-process.ts';
import { judge } from '../test/judge/judge.ts';
import { startRedis } from '../test/redis/servers.ts';
import { judgementLines } from './dev/judgement-lines.ts';
import { keepServers } from './dev/keep-servers.ts';

/**
 * `npm run dev`: the fake web S and a whole small network that crawls it, in one terminal: two coordinators on a Redis
 * Cluster (one on SQLite where redis-server is not installed) and four workers, each under a key that kills it, as are
 * the servers of the store. At the end the web's own log is the judge. `npm run dev -- crawl`: one crawl with the live view instead; Ctrl-C and the same
 * again, and it goes on. What follows goes to the command.
 */
const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'build/dev');
const gapMs = 200;
const [first, ...rest] = process.argv.slice(2);
const alone = first === 'crawl';

// The same ports each time: they stand in the URLs, and the crawl shall go on.
const { web, started, stop, dumpLog } = await openWeb({
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
  politeness: { gap: `${gapMs}ms` },
  robots: { giveUpAfter: '20s' },
  fetch: {
    retries: { backoff: '1s' },
    dns: [`127.0.0.1:${started.dnsPort}`],
    ca: started.caFile,
    allowPrivate: ['127.0.0.0/8'],
  },
};
const network = join(folder, 'network');
// The log of the web and the servers of the store begin anew, so the network does too.
if (!alone) rmSync(network, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
// JSON is YAML.
writeFileSync(join(folder, 'job.yml'), `${JSON.stringify(job, null, 2)}\n`);

const hasRedis = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
const redis = alone || !hasRedis ? undefined : await startRedis({ primaries: 3, replicasEach: 1 });
const kept = redis && keepServers(redis.nodes, join(folder, 'store.json'));
const store = redis && kept ? ['--store', redis.url, '--store-servers', kept.file] : [];
const words = alone
  ? ['run', 'job.yml', ...rest]
  : ['dev', 'job.yml', '--data', network, ...store, ...process.argv.slice(2)];
const command = spawn(process.execPath, [join(root, 'packages/cli/src/bin.ts'), ...words], {
  cwd: folder,
  stdio: 'inherit',
});
// Ctrl-C reaches the command too, and the web must stand until it has finished its requests.
process.on('SIGINT', () => undefined);
const code = await new Promise<number>((done) => {
  command.once('exit', (exit, signal) => done(exit ?? (signal === null ? 1 : 130)));
});
if (!alone && code === 0) await say();
await kept?.stop();
await redis?.stop();
await stop();
process.exitCode = code;

/** What the web saw, compared with what is right. */
async function say(): Promise<void> {
  const file = join(folder, 'requests.log');
  dumpLog(file);
  const reader = await readFolder(join(network, 'coordinator-1'));
  const judgement = await judge({
    web,
    expect: {},
    log: readLog(file),
    records: reader.results.records(reader.crawl),
    gapMs,
    hostPages: web.hostBudget(),
    balance: await reader.balance(),
  });
  await reader.close();
  for (const line of judgementLines(judgement)) console.log(`  ${line}`);
}
