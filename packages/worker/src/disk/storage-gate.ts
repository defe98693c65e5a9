import { statfs } from 'node:fs/promises';
import { type Clock, isStorageTrouble, type Pause, WebfarerError } from '@webfarer/protocol';

export const RETRY_MS = 1_000;
const LOOK_EVERY_MS = 1_000;
/** A store of which some part took something so recently does not fail as a whole. */
const PARTIAL_MS = 30_000;

/**
 * Stands between the worker and a disk that may be full or a store that may be away. Nothing is dropped: work that cannot be stored
 * waits and is tried again, and no new work is begun while space is short.
 */
export interface StorageGate extends WriteGate {
  /** Whether there is room to begin new work. Looks at the disk at most once a second. */
  hasRoom(): Promise<boolean>;
  /** Whether the disk has what is to be left free, whatever else is in trouble. Looks at it now. */
  hasSpace(): Promise<boolean>;
  readonly pause: Pause | undefined;
}

/** What writes pass. */
export interface WriteGate {
  /** Runs `write` until it succeeds; storage trouble pauses and tries again, other errors pass through. */
  attempt<T>(write: () => Promise<T>): Promise<T>;
}

export interface StorageGateOptions {
  folder: string;
  /** Disk space to leave free. */
  minFreeBytes: () => number;
  clock: Clock;
  /** Gives up waiting: what could not be stored is reported as an error. */
  signal: AbortSignal;
  changed: (pause: Pause | undefined) => void;
  /** Free bytes of the folder's disk; tests replace it. */
  freeBytes: (folder: string) => Promise<number>;
}

export function createStorageGate(options: StorageGateOptions): StorageGate {
  const { clock, folder } = options;
  const { freeBytes } = options;
  let pause: Pause | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let room = true;
  let space = true;
  let failing = 0;
  let lastTrouble: unknown;
  let wroteAtMs = Number.NEGATIVE_INFINITY;

  /** One part of a store does not answer while others do: what belongs to the others need not wait for it. */
  const isPartial = () => isSilent(lastTrouble) && clock.now() - wroteAtMs < PARTIAL_MS;

  function set(next: Pause | undefined): void {
    const same = pause?.text === next?.text;
    pause = next;
    if (!same) options.changed(pause);
  }

  async function look(trouble?: unknown): Promise<void> {
    lookedAtMs = clock.now();
    lastTrouble = trouble ?? lastTrouble;
    // A folder that cannot be asked (gone, a strange file system) shows itself when it is written to.
    const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
    const minFreeBytes = options.minFreeBytes();
    space = free >= minFreeBytes;
    room = space && (failing === 0 || isPartial());
    if (room) set(undefined);
    else if (isSilent(trouble) || (pause?.cause === 'store' && space))
      set({ cause: 'store', text: 'the store is unreachable; retrying', retryInMs: RETRY_MS });
    else {
      const little = `${megabytes(free)} left on this disk, ${megabytes(minFreeBytes)} needed`;
      // There is room here: it may be the disk of the coordinator.
      const text = space && lastTrouble instanceof Error ? lastTrouble.message : little;
      set({ cause: 'disk', text, retryInMs: RETRY_MS });
    }
  }

  return {
    get pause() {
      return pause;
    },
    async hasRoom() {
      if (clock.now() - lookedAtMs >= LOOK_EVERY_MS) await look();
      return room;
    },
    async hasSpace() {
      await look();
      return space;
    },
    async attempt(write) {
      let failed = false;
      for (;;) {
        try {
          const value = await write();
          if (failed) failing--;
          wroteAtMs = clock.now();
          return value;
        } catch (error) {
          if (!isStorageTrouble(error)) {
            if (failed) failing--;
            throw error;
          }
          if (!failed) failing++;
          failed = true;
          room = false;
          await look(error);
          if (options.signal.aborted) {
            failing--;
            throw error;
          }
          await clock.sleep(RETRY_MS, options.signal).catch(() => undefined);
        }
      }
    },
  };
}

function isSilent(error: unknown): boolean {
  return error instanceof WebfarerError && error.code === 'store-silent';
}

/** What an ordinary process may still write there. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000).toLocaleString('en-US')} MB`;
}
