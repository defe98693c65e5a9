// ci: long
// ci: core
// watches: packages/coordinator/src/frontier, packages/coordinator/src/redis/lua
// watches: packages/coordinator/src/redis/client, packages/coordinator/src/results, packages/coordinator/src/sqlite
// misses: a command of the frontier that answers otherwise on one store than the rules say
import fc from 'fast-check';
import {
  type ComparedStore,
  compareSequence,
} from '../../packages/coordinator/src/frontier/model/compare.model.ts';
import { comparedRedis } from '../../packages/coordinator/src/frontier/redis/compared.fixture.ts';
import { comparedSqlite } from '../../packages/coordinator/src/frontier/sqlite/compared.fixture.ts';
import { sequences } from '../../packages/coordinator/src/frontier/model/steps.model.ts';
import { drainedTo } from '../../packages/coordinator/src/frontier/redis/draining/drained.fixture.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { argument } from './lab.ts';

/** `--count N` sequences, `--seed N` to repeat a run, `--store sqlite|redis|cluster|drained`: the last puts every result into a file. */
const counts = {
  sqlite: { full: 100_000, quick: 1500 },
  redis: { full: 20_000, quick: 150 },
  cluster: { full: 20_000, quick: 50 },
  drained: { full: 5_000, quick: 20 },
};
type StoreName = keyof typeof counts;

/**
 * Random sequences of all commands of a frontier, with restarts and refused commits in between, on the real
 * stores and on a plain model of the rules: every answer and every balance must be the same. The quick form
 * takes a few on each store, always the same.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const named = argument(args, '--store') as StoreName | undefined;
  const stores: StoreName[] = named
    ? [named]
    : quick
      ? ['sqlite', 'redis', 'cluster', 'drained']
      : ['sqlite'];
  const fresh = quick ? 12 : Math.floor(Math.random() * 0x7fff_ffff);
  const seed = Number(argument(args, '--seed') ?? fresh);
  const wanted = argument(args, '--count');
  const started = performance.now();
  const result: Record<string, unknown> = { sequences: 0, differences: 0, seed, stores };
  const sizes: Record<string, number> = { stepsAtMost: 52 };
  for (const name of stores) {
    const count = Number(wanted ?? counts[name][quick ? 'quick' : 'full']);
    const details = await compare(name, { count, seed });
    result['sequences'] = (result['sequences'] as number) + details.numRuns;
    if (details.failed) result['differences'] = (result['differences'] as number) + 1;
    sizes[name] = count;
  }
  result['seconds'] = Math.round((performance.now() - started) / 1000);
  return { ok: result['differences'] === 0, result: { ...result, sizes } };
}

async function compare(name: StoreName, { count, seed }: { count: number; seed: number }) {
  const { store, close } = await openCompared(name);
  let run = 0;
  const property = fc.asyncProperty(sequences, async (steps) => {
    if (++run % 5000 === 0) console.error(`${name}: ${run} of ${count}`);
    await compareSequence(store, steps);
  });
  try {
    const details = await fc.check(property, { numRuns: count, seed });
    if (details.failed) {
      console.error(fc.defaultReportMessage(details));
      console.error(details.errorInstance);
    }
    return details;
  } finally {
    await close();
  }
}

/** A fresh store; on a cluster every primary has a replica, and answers wait for it. */
async function openCompared(name: StoreName): Promise<{ store: ComparedStore; close(): Promise<void> }> {
  if (name === 'sqlite') {
    const store = comparedSqlite();
    return { store, close: async () => store.close() };
  }
  const settings = { appendonly: 'no' };
  const replicas = name === 'cluster' ? 1 : 0;
  const servers = await startRedis({ primaries: replicas ? 3 : 1, replicasEach: replicas, settings });
  const drained = name === 'drained' ? drainedTo() : undefined;
  const backlog = drained && { ...drained.backlog, onlyWhenAsked: true };
  const store = await comparedRedis(servers.url, replicas, backlog);
  return {
    store,
    async close() {
      await store.close();
      await servers.stop();
      drained?.remove();
    },
  };
}
