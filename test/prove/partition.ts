// ci: core
// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis
// misses: acknowledged writes lost in a partition of the store
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { cutSetUp } from '../redis/cut.ts';
import type { PhaseResult, TrialPlan } from '../redis/partition-trial.ts';
import { argument } from './lab.ts';

/** Replicas of the three shards: the first is cut with one replica, the second with two. */
const replicasEach = [1, 2, 1];
const servers = replicasEach.reduce((sum, replicas) => sum + 1 + replicas, 0);

/**
 * The client stays with an old primary that is cut off from the rest of the cluster, which elects another.
 * Nothing that was acknowledged may be missing afterwards. The same partitions without WAIT, and with WAIT for
 * one of two replicas, must lose acknowledged writes: otherwise the trial shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const partitions = Number(argument(args, '--count') ?? (quick ? 2 : 30));
  const controls = quick ? 1 : Math.ceil(partitions / 10);
  const two = quick ? 1 : Math.ceil(partitions / 3);
  const plan: TrialPlan = {
    replicasEach,
    phases: [
      { shard: 0, partitions, wait: 1, staying: 0 },
      { shard: 0, partitions: controls, wait: undefined, staying: 0 },
      { shard: 1, partitions: two, wait: 2, staying: 1 },
      { shard: 1, partitions: controls, wait: 1, staying: 1 },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-partition-'));
  try {
    const results = await inOwnNetwork<PhaseResult[]>({
      program: resolve(import.meta.dirname, '../redis/partition-trial.ts'),
      args: plan,
      folder,
      setUp: cutSetUp(servers),
    });
    const [one, oneControl, twoAll, twoControl] = results as [
      PhaseResult,
      PhaseResult,
      PhaseResult,
      PhaseResult,
    ];
    return {
      ok: one.lost === 0 && twoAll.lost === 0,
      tooEasy: oneControl.lost === 0 || twoControl.lost === 0,
      result: {
        ...one,
        lostWithoutWait: oneControl.lost,
        acknowledgedWithoutWait: oneControl.acknowledged,
        twoReplicas: {
          ...twoAll,
          lostWithWaitOne: twoControl.lost,
          acknowledgedWithWaitOne: twoControl.acknowledged,
        },
        sizes: { partitions, controls, twoReplicas: two, servers },
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
