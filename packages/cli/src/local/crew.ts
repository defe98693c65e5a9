import type { Hands, HostWait, Pause } from '@webfarer/protocol';
import type { Orders } from '@webfarer/protocol/link';
import type { OpenWorker } from '@webfarer/worker';

/** Whoever fetches for a crawl: one worker in this process, or several in processes of their own. */
export interface Crew {
  start(): void;
  /** Something may be due that was not before. */
  wake(): void;
  /** Finishes what is in flight and gives back the rest, then asks for work again. */
  release(): void;
  /** Drops what is in flight, so that `stop` need not wait for it. */
  drop(): void;
  /** Finishes what is in flight; when it resolves, everything is durable and closed. */
  stop(): Promise<void>;
  look(): Promise<CrewLook>;
  readonly pause: Pause | undefined;
}

/** What a crew is at this moment. */
export interface CrewLook {
  inFlight: number;
  /** Whoever else has a lease is gone: nobody but this crew works on the crawl. */
  othersAreGone?: boolean;
  hands?: Hands;
  /** Hosts it holds and must pause on, soonest first. */
  waiting: HostWait[];
  archive: { files: number; bytes: number };
}

/** A worker in this process, which is told by its orders. */
export function crewOfOne(worker: OpenWorker, orders: Orders, connections: number): Crew {
  return {
    start: () => orders.wake(),
    wake: () => orders.wake(),
    release: () => orders.release(undefined),
    drop: () => void worker.stop({ now: true }),
    stop: () => worker.stop(),
    look() {
      const { inFlight, waiting, held, written } = worker.look();
      return Promise.resolve({
        inFlight,
        hands: { workers: 1, connections, held, pauses: [] },
        waiting,
        archive: { files: sum(written.map((a) => a.files)), bytes: sum(written.map((a) => a.bytes)) },
      });
    },
    get pause() {
      return worker.look().pause;
    },
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
