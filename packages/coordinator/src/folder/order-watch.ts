import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '@webfarer/protocol';
import { crawlsName } from './data-folder.ts';
import { ordersName } from './wanted-state.ts';

/** Notices that an operator has left an order in the folder of some crawl of a coordinator, by one file for all of them. */
export interface OrderWatch {
  /** The crawl in this folder is one of them. */
  covers(folder: string): boolean;
  /** The same clock, but its sleeps end when an order was left. */
  wakes(clock: Clock): Clock;
  stop(): Promise<void>;
}

const LOOK_MS = 500;

/** `folder`: the coordinator's. Looks only while somebody sleeps. */
export function watchOrders(folder: string, clock: Clock): OrderWatch {
  const below = resolve(folder, crawlsName);
  const sleepers = new Set<() => void>();
  const over = new AbortController();
  let seen: string | undefined;
  let looking: Promise<void> | undefined;

  /** The file is replaced with each order. */
  async function mark(): Promise<string> {
    const { ino, mtimeMs } = await stat(join(below, ordersName)).catch(() => ({ ino: 0, mtimeMs: 0 }));
    return `${ino} ${mtimeMs}`;
  }

  async function look(): Promise<void> {
    while (sleepers.size > 0 && !over.signal.aborted) {
      const now = await mark();
      if (now !== seen) for (const wake of sleepers) wake();
      seen = now;
      await clock.sleep(LOOK_MS, over.signal).catch(() => undefined);
    }
    looking = undefined;
  }

  return {
    covers: (at) => dirname(resolve(at)) === below,
    wakes: ({ now, sleep }) => ({
      now,
      async sleep(ms, signal) {
        const woken = new AbortController();
        const wake = () => woken.abort();
        sleepers.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
        looking ??= look();
        try {
          if (signal?.aborted) wake();
          await sleep(ms, woken.signal);
        } catch (error) {
          if (signal?.aborted || !woken.signal.aborted) throw error;
        } finally {
          sleepers.delete(wake);
          signal?.removeEventListener('abort', wake);
        }
      },
    }),
    async stop() {
      over.abort();
      await looking;
    },
  };
}
