// watches: packages/worker/src/identity, packages/worker/src/egress, packages/worker/src/fetch
// watches: packages/cli/src/network
// misses: signed requests that others cannot verify
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JobInput } from '@webfarer/protocol';
import { type LogEntry, monotonicNs } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { pythonFor } from '../outside/python.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Canary, canariesIn, searchFolder } from '../secrets/canaries.ts';
import { type DirectoryServer, startDirectoryServer } from '../signatures/directory-server.ts';
import { crawlSigned } from '../signatures/signed-network.ts';
import { commandPath, labJob, startCrawler, workFolder, writeJob } from './lab.ts';

const run = promisify(execFile);
const sizes = {
  quick: { pages: 60, networkPages: 20, controls: 10 },
  full: { pages: 2_000, networkPages: 300, controls: 100 },
} as const;

/**
 * A crawl with an identity: pages, robots.txt, redirects, HEAD checks, over http and https. Another implementation of
 * RFC 9421 (http-message-signatures in Python) fetches the published directory over TLS, checks the proof on it, and
 * verifies every request that the fake web has logged, by the time it arrived. The same requests with another authority,
 * an hour later or earlier, under another key, in another's name or without their signature must all be refused. The
 * same holds in a network whose workers have the key; one without it says so and requests nothing. The private key must be
 * in no file of the crawls and on no screen.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('signatures');
  const [fake, directory, python] = await Promise.all([
    startFakeWeb({ size: 'S', seed: 5 }),
    startDirectoryServer(work.path),
    pythonFor('formats'),
  ]);
  try {
    const { keyFile, key } = await newIdentity(work.path, directory);
    const found: string[] = [];
    const ways = quick ? waysToCrawl.slice(0, 1) : waysToCrawl;
    const logs: LogEntry[][] = [];
    for (const { name, change, env } of ways) {
      await fake.reset();
      const job = signedJob(fake, quick, { directory: directory.origin, key: keyFile }, size.pages);
      const file = join(work.path, `${name}.json`);
      const folder = join(work.path, `${name}.crawl`);
      await writeJob(file, change(job));
      const crawler = startCrawler(file, folder, { env: env(readFileSync(keyFile, 'utf8')) });
      const code = await crawler.ended;
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${crawler.output()}`);
      logs.push(await fake.log());
      found.push(...searchFolder(folder, [key]), ...canariesIn(crawler.output(), [key]));
    }
    await fake.reset();
    const under = join(work.path, 'network');
    const network = await crawlSigned(fake, {
      job: signedJob(fake, quick, { directory: directory.origin }, size.networkPages),
      keyFile,
      under,
    });
    logs.push(network.log);
    found.push(...searchFolder(under, [key]), ...canariesIn(network.printed, [key]));
    const log = logs.flat();
    const judged = await verified(python, directory, { fake, log, controls: size.controls });
    for (const line of [...judged.wrong, ...found]) console.error(`  ✗ ${line}`);
    const isRefused = Object.values(judged.refused).every((count) => count === judged.controls);
    const planted = canariesIn(readFileSync(keyFile, 'utf8'), [key]).length;
    const counts = countsOf(log);
    return {
      ok:
        judged.verified === log.length &&
        judged.wrongCount === 0 &&
        judged.nonces === log.length &&
        Object.values(counts).every((count) => count > 0) &&
        judged.controls >= size.controls &&
        isRefused &&
        found.length === 0 &&
        planted === 1 &&
        network.withoutKey === 0 &&
        network.byWorker.every((count) => count > 0),
      result: {
        requests: log.length,
        verified: judged.verified,
        wrong: judged.wrongCount,
        nonces: judged.nonces,
        ...counts,
        controls: judged.controls,
        refused: judged.refused,
        keyFound: found.length,
        network: { withoutKey: network.withoutKey, byWorker: network.byWorker },
        sizes: { crawls: ways.length, pages: size.pages },
      },
    };
  } finally {
    await directory.stop();
    await fake.stop();
    work.remove();
  }
}

/** What must be among the requests for the figures to mean anything. */
function countsOf(log: readonly LogEntry[]) {
  const count = (is: (entry: LogEntry) => boolean) => log.filter(is).length;
  return {
    robots: count(({ path }) => path === '/robots.txt'),
    checks: count(({ method }) => method === 'HEAD'),
    redirects: count(({ status }) => status >= 300 && status < 400),
    secure: count(({ scheme }) => scheme === 'https'),
    hosts: new Set(log.map(({ host }) => host)).size,
  };
}

interface Way {
  name: string;
  change: (job: JobInput) => JobInput;
  env: (pem: string) => Record<string, string>;
}

/** The whole web in two processes; where a crawl stays on its hosts it checks what leads away from them. */
function inTwo(job: JobInput): JobInput {
  return { ...job, processes: 2, scope: { ...job.scope, stay: 'web' } };
}

const waysToCrawl: readonly Way[] = [
  { name: 'one-process', change: (job) => job, env: () => ({}) },
  { name: 'two-processes', change: inTwo, env: () => ({}) },
  {
    name: 'key-in-environment',
    change({ identity, ...job }) {
      return { ...inTwo(job), identity: { directory: identity?.directory ?? '' } };
    },
    env: (pem) => ({ WEBFARER_IDENTITY_KEY: pem }),
  },
];

function signedJob(fake: FakeWeb, quick: boolean, identity: JobInput['identity'], pages: number): JobInput {
  const waits = quick ? 'calm|slowly|sick|busy|calendar|spiral|dead|gone|patience' : 'calendar|spiral';
  const job = labJob(fake, {
    seeds: [...fake.web.seeds(), `http://bank0.test:${fake.httpPort}/`],
    scope: { stay: 'host', exclude: [{ regex: `^https?://(${waits})\\d` }] },
    scraper: { site: { check: true } },
    identity,
  });
  return { ...job, limits: { ...job.limits, pages } };
}

/** As a person makes it; answers the file, and what of it must be found nowhere else. */
async function newIdentity(
  work: string,
  directory: DirectoryServer,
): Promise<{ keyFile: string; key: Canary }> {
  const folder = join(work, 'identity');
  const words = ['identity', 'new', folder, '--directory', directory.origin, '--json'];
  const { stdout } = await run(process.execPath, [commandPath, ...words]);
  const { document, headers } = JSON.parse(stdout) as { document: string; headers: Record<string, string> };
  directory.publish(document, headers);
  const keyFile = join(folder, 'identity.key');
  const [, value = ''] = readFileSync(keyFile, 'utf8').split('\n');
  const raw = Buffer.from(value, 'base64').subarray(-32);
  const forms = [value, raw.toString('latin1'), raw.toString('hex'), raw.toString('base64url')];
  return { keyFile, key: { name: 'the private key', value, forms } };
}

interface Judged {
  verified: number;
  nonces: number;
  wrong: string[];
  wrongCount: number;
  controls: number;
  refused: Record<string, number>;
}

async function verified(
  python: string,
  directory: DirectoryServer,
  { fake, log, controls }: { fake: FakeWeb; log: readonly LogEntry[]; controls: number },
): Promise<Judged> {
  const wallOfZeroMs = Date.now() - monotonicNs() / 1e6;
  const requests = log.map(({ scheme, host, path, method, headers, startNs }) => ({
    method,
    url: `${scheme}://${host}:${scheme === 'http' ? fake.httpPort : fake.httpsPort}${path}`,
    headers: headerLines(headers),
    arrivedMs: wallOfZeroMs + startNs / 1e6,
  }));
  const child = run(python, [join(import.meta.dirname, '../signatures/verify.py')], { maxBuffer: 1e8 });
  child.child.stdin?.end(
    JSON.stringify({ directory: { origin: directory.origin, ca: directory.ca }, requests, controls }),
  );
  return JSON.parse((await child).stdout) as Judged;
}

function headerLines(block: string): [string, string][] {
  return block
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}
