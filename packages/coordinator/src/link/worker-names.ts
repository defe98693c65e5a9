import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, WebfarerError, type WorkerId } from '@webfarer/protocol';
import type { Hello } from '@webfarer/protocol/link';

/** How long a name is kept for a worker whose connection was lost. */
const KEPT_MS = 600_000;

/** How a worker shows that it is the one that has the name. */
export type NameProof = Pick<Hello, 'session' | 'key'>;

/**
 * Whose name is whose. Workers usually share one token, so the token does not tell them apart: whoever has it could take
 * the name of another worker, and with it the worker's connection and leases. A name belongs to the process that is
 * connected under it and to whoever has the same key, which a worker keeps in its folder.
 */
export interface WorkerNames {
  /** Answers why not where the name is another worker's. */
  take(worker: WorkerId, proof: NameProof): WebfarerError | undefined;
  /** The worker is no longer connected. `isOver`: it said so itself, and its name is free. */
  leave(worker: WorkerId, how: { isOver: boolean }): void;
}

interface Owner {
  session: string;
  /** SHA-256; undefined: it has none, as in earlier versions. */
  key: Buffer | undefined;
  /** Undefined while it is connected. */
  keptUntilMs: number | undefined;
}

export interface WorkerNamesOptions {
  clock: Pick<Clock, 'now'>;
  /** Names that are kept for workers which are not connected; beyond it the oldest are free. */
  most: number;
  /** A worker of the coordinator's own process has this name; undefined: there are none. */
  isInside: ((worker: WorkerId) => boolean) | undefined;
}

export function createWorkerNames({ clock, most, isInside }: WorkerNamesOptions): WorkerNames {
  const owners = new Map<WorkerId, Owner>();
  let away = 0;

  function free(worker: WorkerId): void {
    if (owners.get(worker)?.keptUntilMs !== undefined) away--;
    owners.delete(worker);
  }

  function freeOldest(): void {
    for (const [worker, { keptUntilMs }] of owners) {
      if (keptUntilMs === undefined) continue;
      if (away <= most && keptUntilMs > clock.now()) return;
      free(worker);
    }
  }

  return {
    take(worker, { session, key }) {
      freeOldest();
      const digest = key === undefined ? undefined : createHash('sha256').update(key).digest();
      const owner = owners.get(worker);
      const isSame = owner?.session === session || isEqual(owner?.key, digest);
      if ((owner && !isSame) || isInside?.(worker)) return nameTaken(worker);
      free(worker);
      owners.set(worker, { session, key: digest ?? owner?.key, keptUntilMs: undefined });
      return undefined;
    },
    leave(worker, { isOver }) {
      const owner = owners.get(worker);
      if (!owner) return;
      free(worker);
      // Without a key it could not show that it is the same worker, should its process have died.
      if (isOver || !owner.key) return;
      // At the end of the map: those that left first are freed first.
      owners.set(worker, { ...owner, keptUntilMs: clock.now() + KEPT_MS });
      away++;
      freeOldest();
    },
  };
}

function isEqual(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function nameTaken(worker: WorkerId): WebfarerError {
  return new WebfarerError('conflict', `the name ${worker} belongs to another worker`, {
    next: 'Give each worker its own folder. If that worker is gone, its name is free in ten minutes at most.',
  });
}
