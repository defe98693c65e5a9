// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis, packages/coordinator/src/sqlite
// watches: packages/coordinator/src/frontier/sqlite/schema.ts
// misses: acknowledged writes of a store that were not on its disk
import { join, relative } from 'node:path';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { until } from '../redis/form-cluster.ts';
import { freePorts, startServer } from '../redis/server-process.ts';
import { type RedisNode, startRedis } from '../redis/servers.ts';
import { countMissing, startWriting } from '../redis/writing.ts';
import { argument, workFolder } from './lab.ts';
import { type LoopDisk, makeDisk } from './loop-disk.ts';
import { prove as proveLocal } from './power-cut-local.ts';

const diskMB = 64;

/**
 * A primary and its replica lose power at a random moment: what only the system's memory held is gone. Each
 * of the two disks alone must hold all that was acknowledged, so a primary whose disk breaks as well is
 * covered. With `appendfsync everysec` acknowledged writes must be missing: otherwise the trial shows nothing.
 * `--local`: the same question to a crawl in a folder, as `power-cut-local`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  if (args.includes('--local')) return await proveLocal({ quick, args });
  const cuts = Number(argument(args, '--count') ?? (quick ? 2 : 10));
  const controls = quick ? 1 : Math.ceil(cuts / 3);
  const strict = await cutOften(cuts, 'always');
  const control = await cutOften(controls, 'everysec');
  return {
    ok: strict.lost === 0,
    tooEasy: control.lost === 0,
    result: {
      cuts,
      ...strict,
      lostEverysec: control.lost,
      acknowledgedEverysec: control.acknowledged,
      sizes: { cuts, controls },
    },
  };
}

interface Cut {
  acknowledged: number;
  /** Missing on the disk where more is missing. */
  lost: number;
}

async function cutOften(count: number, appendfsync: string): Promise<Cut> {
  const total: Cut = { acknowledged: 0, lost: 0 };
  for (let n = 0; n < count; n++) {
    const { acknowledged, lost } = await cutOnce(appendfsync);
    console.error(JSON.stringify({ appendfsync, acknowledged, lost }));
    total.acknowledged += acknowledged;
    total.lost += lost;
  }
  return total;
}

async function cutOnce(appendfsync: string): Promise<Cut> {
  const work = workFolder('power-cut');
  const disk = makeDisk(work.path, diskMB);
  try {
    const { keys, folders, after } = await writeUntilCut(disk, appendfsync);
    try {
      let lost = 0;
      for (const folder of folders) lost = Math.max(lost, await missingIn(join(after.path, folder), keys));
      return { acknowledged: keys.length, lost };
    } finally {
      after.unmount();
    }
  } finally {
    disk.unmount();
    work.remove();
  }
}

/** Writes to a pair of servers on the disk and stops both at a random moment. */
async function writeUntilCut(disk: LoopDisk, appendfsync: string) {
  const servers = await startRedis({ replicasEach: 1, parent: disk.path, settings: { appendfsync } });
  const store = await openStore({ url: servers.url, replicas: 1, clock: systemClock() });
  try {
    await Promise.all(servers.nodes.map((node) => until(() => writesItsLog(node), 'the log is begun')));
    const work = startWriting(store, '{cut}');
    // Longer than `everysec` waits, so that it keeps some and loses some.
    await new Promise((done) => setTimeout(done, 1_200 + Math.random() * 1_500));
    // They stand still while the disk is copied; answers already on their way to the writers still count.
    await Promise.all(servers.nodes.map((node) => node.kill('SIGSTOP')));
    const after = disk.afterPowerCut();
    const folders = servers.nodes.map(({ folder }) => relative(disk.path, folder));
    await store.close();
    await work.stop().catch(() => {});
    return { keys: work.acknowledged, folders, after };
  } finally {
    await store.close();
    await servers.stop();
  }
}

/** A new replica makes a log of what it was given; until that is done its disk promises nothing. */
async function writesItsLog(node: RedisNode): Promise<boolean> {
  const info = await node.askText('INFO', 'persistence');
  return (
    /aof_enabled:1/.test(info) &&
    /aof_rewrite_in_progress:0/.test(info) &&
    /aof_rewrite_scheduled:0/.test(info)
  );
}

/** What a server that wakes up over this folder does not know: all, where it refuses to wake up. */
async function missingIn(folder: string, keys: string[]): Promise<number> {
  const [port = 0] = await freePorts('127.0.0.1', 1);
  const settings = { appendonly: 'yes', save: '' };
  const server = await startServer({ host: '127.0.0.1', port, folder, settings }).catch((error: Error) => {
    console.error(error.message);
  });
  if (server === undefined) return keys.length;
  const store = await openStore({ url: `redis://127.0.0.1:${port}`, replicas: 0, clock: systemClock() });
  try {
    return await countMissing(store, keys);
  } finally {
    await store.close();
    await server.kill('SIGKILL');
  }
}
