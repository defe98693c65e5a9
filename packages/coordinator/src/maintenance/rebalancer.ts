import type { Clock, WorkerId } from '@webfarer/protocol';
import type { Member } from '../members/membership.ts';
import { createShareRounds } from '../members/share-rounds.ts';
import type { LinkedWorker, LinkServer } from '../network/link-server.ts';

export interface RebalancerOptions {
  /** Of this coordinator. */
  id: string;
  clock: Clock;
  server: Pick<LinkServer, 'workers' | 'load' | 'tell'>;
  /** Workers that belong to this process: they neither count nor switch. */
  isPinned: (worker: WorkerId) => boolean;
}

export interface Rebalancer {
  /** Called with every look at the members. */
  look(members: readonly Member[]): { rounds: NonNullable<Member['rounds']>; settled: boolean };
  /** Workers told to switch since the start. */
  readonly told: number;
}

/**
 * When coordinators come or go, tells just as many of its workers to switch as needed for even shares. Those with the
 * least in hand go first.
 */
export function createRebalancer({ id, clock, server, isPinned }: RebalancerOptions): Rebalancer {
  const shares = createShareRounds(id);
  let told = 0;

  function leastFirst(): LinkedWorker[] {
    const own = server.workers().filter(({ worker }) => !isPinned(worker));
    return own.sort((a, b) => a.held - b.held);
  }

  function tell(workers: LinkedWorker[], to: string | undefined, count: number): void {
    for (const { worker } of workers.splice(0, count))
      if (to !== undefined && server.tell(worker, { type: 'switch', to })) told++;
  }

  return {
    get told() {
      return told;
    },
    look(members) {
      const { workers: count } = server.load((worker) => !isPinned(worker));
      const step = shares.look(members, { workers: count, nowMs: clock.now() });
      const workers = step.flows.length > 0 ? leastFirst() : [];
      for (const flow of step.flows)
        tell(workers, members.find((member) => member.id === flow.to)?.url, flow.count);
      return { rounds: step.rounds, settled: step.settled };
    },
  };
}
