import type { Clock, WorkerId } from '@webfarer/protocol';
import type { Member } from '../members/membership.ts';
import { createShareRounds, type ShareStep } from '../members/share-rounds.ts';
import type { LinkedWorker, LinkServer } from '../link/link-server.ts';

export interface RebalancerOptions {
  /** Of this coordinator. */
  id: string;
  clock: Clock;
  server: Pick<LinkServer, 'workers' | 'load' | 'tell'>;
  /** Workers that belong to this process: they neither count nor switch. */
  isPinned: (worker: WorkerId) => boolean;
}

export interface Rebalancer {
  /** Called with every look at the members, and how many workers the own crawl could use. */
  look(members: readonly Member[], wants: number): Pick<ShareStep, 'rounds' | 'recounts' | 'settled'>;
  /** Workers told to switch since the start. */
  readonly told: number;
}

/** A worker that is still here after this time could not switch. */
const GOING_MS = 1_500;

/**
 * Tells just as many of its workers to switch as needed for the shares that all members worked out. Those with the
 * fewest hosts in flight go first. A worker that serves several crawls in turn keeps only its share of hosts for each:
 * with all connections held by the first crawl it could fetch nothing for the next.
 */
export function createRebalancer({ id, clock, server, isPinned }: RebalancerOptions): Rebalancer {
  const shares = createShareRounds(id);
  /** When workers were told to switch: they are on their way, and neither count nor are told again. */
  const going = new Map<WorkerId, number>();
  let told = 0;

  const stays = (worker: WorkerId) => !isPinned(worker) && !going.has(worker);

  function forgetStayers(): void {
    if (going.size === 0) return;
    const cameAtMs = new Map(server.workers().map(({ worker, sinceMs }) => [worker, sinceMs]));
    for (const [worker, toldAtMs] of going) {
      const isBack = (cameAtMs.get(worker) ?? 0) > toldAtMs;
      if (isBack || clock.now() - toldAtMs > GOING_MS) going.delete(worker);
    }
  }

  function leastFirst(): LinkedWorker[] {
    const own = server.workers().filter(({ worker }) => stays(worker));
    return own.sort((a, b) => a.held - b.held);
  }

  function tell(workers: LinkedWorker[], to: string, crawlsPerWorker: number): void {
    for (const { worker, held, connections } of workers) {
      const hosts = held - Math.ceil(connections / Math.ceil(crawlsPerWorker));
      if (crawlsPerWorker > 1 && hosts > 0) server.tell(worker, { type: 'water', hosts });
      if (!server.tell(worker, { type: 'switch', to })) continue;
      told++;
      going.set(worker, clock.now());
    }
  }

  return {
    get told() {
      return told;
    },
    look(members, wants) {
      forgetStayers();
      const { workers: count } = server.load(stays);
      const step = shares.look(members, { workers: count, wants, nowMs: clock.now() });
      const workers = step.flows.length > 0 ? leastFirst() : [];
      for (const flow of step.flows) {
        const to = members.find((member) => member.id === flow.to)?.url;
        const movers = workers.splice(0, flow.count);
        if (to !== undefined) tell(movers, to, step.crawlsPerWorker);
      }
      return step;
    },
  };
}
