import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { startNetwork } from '../network/launcher.ts';
import { until, writeJob } from '../prove/lab.ts';

export interface SignedNetwork {
  log: LogEntry[];
  /** Requests while the only worker had no key. */
  withoutKey: number;
  /** Requests of each worker that had it. */
  byWorker: number[];
  /** What all processes printed. */
  printed: string;
}

/** Workers start slowly on a busy machine. */
const patienceMs = 120_000;
const firstPages = 5;

/**
 * A coordinator that has no key, and workers one after the other: without a key, with its file, and with its text in the
 * environment. The first must say that it leaves the crawl out, and request nothing.
 */
export async function crawlSigned(
  fake: FakeWeb,
  { job, keyFile, under }: { job: JobInput; keyFile: string; under: string },
): Promise<SignedNetwork> {
  const { key: _key, ...identity } = job.identity ?? { directory: '' };
  mkdirSync(under, { recursive: true });
  const file = join(under, 'signed-network.json');
  await writeJob(file, { ...job, identity });
  const network = await startNetwork({ job: file, under, workers: 0, untilDone: true });
  try {
    const requests = async () => (await fake.log()).length;
    const [coordinator] = network.coordinators;
    const bare = await network.addWorker();
    await until(
      'a word that there is no key',
      () => bare.output().includes('there is no key for that here'),
      patienceMs,
    );
    const withoutKey = await requests();
    await bare.stop();
    const first = await network.addWorker({ words: ['--identity-key', keyFile] });
    await until('the first pages', async () => (await requests()) >= firstPages, patienceMs);
    await first.stop();
    const byFirst = await requests();
    await network.addWorker({ env: { WEBFARER_IDENTITY_KEY: readFileSync(keyFile, 'utf8') } });
    const code = await coordinator?.ended();
    const printed = [...network.coordinators, ...network.workers].map((one) => one.output()).join('\n');
    if (code !== 0) throw new Error(`the coordinator ended with ${code}: ${printed}`);
    const log = await fake.log();
    return { log, withoutKey, byWorker: [byFirst, log.length - byFirst], printed };
  } finally {
    await network.end();
  }
}
