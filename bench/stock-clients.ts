// watches: packages/coordinator/src/redis/client, packages/coordinator/src/redis/topology
// misses: the comparison with stock Redis clients no longer runs
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Client, type Open, openers } from './redis/stock-clients.ts';
import { type Trial, trials } from './redis/stock-trials.ts';

const run = promisify(execFile);
/** Beside the project's tools, never among its dependencies. */
const folder = join(import.meta.dirname, '../.tools/peers/redis-clients');
const trialMs = 60_000;
const closeMs = 5_000;
const versions = { ioredis: '6.0.0', redis: '6.3.1', iovalkey: '0.4.0' };

/**
 * Stock clients with their retries off against our own connections, in the situations that decided for these: WAIT behind a
 * pipeline while the only replica of a shard stands still, a reply that is lost, a slot that has moved, a primary that is
 * replaced, and plain speed. Figures are in decision 8.
 */
export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  await install();
  const times = quick ? 5 : 20;
  // A client that never finds the new primary is waited for; ours has taken 2 to 3 s.
  const size = { times, failoverMs: quick ? 8_000 : 20_000 };
  const found: Record<string, Record<string, unknown>> = {};
  const tryAll = async (name: string, open: Open, which: Readonly<Record<string, Trial>>): Promise<void> => {
    const clients: Client[] = [];
    const opened: Open = async (target) => {
      const client = await open(target);
      clients.push(client);
      return client;
    };
    for (const [trial, tried] of Object.entries(which)) {
      const outcome = await within(trialMs, tried(opened, size)).catch((error: Error) => ({
        error: error.message.slice(0, 120),
      }));
      found[name] = { ...found[name], [trial]: outcome };
    }
    for (const client of clients) await within(closeMs, client.close()).catch(() => undefined);
  };
  const clients = Object.entries(openers(folder));
  const { speed, ...waiting } = trials;
  // These mostly wait, each client on servers of its own. What is measured in microseconds runs alone.
  await Promise.all(clients.map(([name, open]) => tryAll(name, open, waiting)));
  for (const [name, open] of clients) {
    await tryAll(name, open, { speed });
    console.error(`  ${name}: ${JSON.stringify(found[name])}`);
  }
  const ours = found.ours as { waitWithReplicaStopped?: { falselyDurable: number } };
  return {
    ok: ours.waitWithReplicaStopped?.falselyDurable === 0,
    result: { found, sizes: { ...size, versions } },
  };
}

/** A client may wait without end: that is an outcome too. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = setTimeout(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not done within ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

async function install(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  const wanted = JSON.stringify({ private: true, dependencies: versions });
  const isThere =
    existsSync(join(folder, 'node_modules/iovalkey')) && (await readFile(manifest, 'utf8')) === wanted;
  if (isThere) return;
  await writeFile(manifest, wanted);
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}
