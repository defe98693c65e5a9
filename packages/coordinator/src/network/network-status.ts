import type { Clock, CrawlSnapshot, Pause } from '@webfarer/protocol';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { WorkerRates } from '../link/worker-rates.ts';
import type { PeerStatus } from './neighbours.ts';

/** All that a coordinator knows, as `/status` shows it. */
export interface NetworkStatus {
  coordinator: { id: string; version: string; url: string; upMs: number };
  crawls: CrawlSnapshot[];
  workers: WorkerStatus[];
  /** All coordinators of its store, itself among them. */
  peers: PeerStatus[];
}

export interface WorkerStatus {
  worker: string;
  trust: string;
  address: string;
  version: string;
  connections: number;
  /** Hosts it holds now. */
  held: number;
  hungry: boolean;
  /** An operator decided that it is given nothing new. */
  cordoned: boolean;
  linkedMs: number;
  /** Why it has paused, where it has. */
  pause?: Pause;
  /** Outcomes it brought since this coordinator began, and how many a second lately. */
  pages: number;
  pagesPerSecond: number;
}

/** The workers of a coordinator, those in its process first. */
export function workersNow(
  { rates, pool }: { rates: WorkerRates; pool: WorkerPool },
  clock: Clock,
): WorkerStatus[] {
  return pool.all().map(({ sinceMs, look, session: _session, ...worker }) => ({
    ...worker,
    ...(look?.pause ? { pause: look.pause } : {}),
    linkedMs: Math.max(0, Math.round(clock.now() - sinceMs)),
    ...rates.of(worker.worker),
  }));
}
