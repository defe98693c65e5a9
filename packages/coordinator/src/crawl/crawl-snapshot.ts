import type { CrawlSnapshot, Pause } from '@webfarer/protocol';
import { stallOf } from '@webfarer/protocol/crawl';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { LimitedBy } from './crawl-control.ts';

export interface SnapshotParts {
  /** What the frontier and the reports say. */
  now: CrawlSnapshot;
  /** What the workers say. */
  look: ReturnType<WorkerPool['look']>;
  /** Leases of this crawl that are out. */
  held: number;
  /** No other crawl is served: whatever workers have in flight is of this one. */
  isAlone: boolean;
  /** What is leased and nobody who is connected can still bring. */
  abandoned: (seen: {
    leased: number;
    inFlight: number;
  }) => Pick<CrawlSnapshot, 'abandoned' | 'abandonedForMs'>;
  /** Kept of bodies that workers sent here. */
  kept: { files: number; bytes: number };
  limitedBy: LimitedBy | undefined;
  pause: Pause | undefined;
}

/** Where a crawl stands, put together from all who know a part of it. */
export function composeSnapshot(parts: SnapshotParts): CrawlSnapshot {
  const { now, look, kept, limitedBy, pause } = parts;
  const { hands, written } = look;
  const inFlight = parts.isAlone ? look.inFlight : Math.min(look.inFlight, parts.held);
  // The store knows only that a held host is held; the worker that holds it knows until when.
  const stored = new Map(now.waiting.map((wait) => [wait.host, wait.queued]));
  const waiting = [
    ...look.waiting.map((wait) => ({ ...wait, queued: wait.queued + (stored.get(wait.host) ?? 0) })),
    ...now.waiting.filter(({ why }) => why !== 'held'),
  ];
  const seen: CrawlSnapshot = {
    ...now,
    waiting: waiting.sort((a, b) => a.dueInMs - b.dueInMs).slice(0, 3),
    inFlight,
    archive: { files: written.files + kept.files, bytes: written.bytes + kept.bytes },
    hands,
    ...parts.abandoned({ leased: now.balance.leased, inFlight }),
    ...(limitedBy ? { limitedBy } : {}),
    ...(pause ? { pause } : {}),
  };
  const stall = stallOf(seen);
  return stall ? { ...seen, stall } : seen;
}
