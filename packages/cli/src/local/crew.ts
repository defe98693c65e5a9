import type { Hands, HostWait, Pause } from '@webfarer/protocol';
import type { Saver, Worker } from '@webfarer/worker';

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

/** A worker in this process, with its savers. */
export function crewOfOne(worker: Worker, savers: readonly Saver[], connections: number): Crew {
  return {
    start: () => worker.start(),
    wake: () => worker.wake(),
    release: () => worker.release(),
    drop: () => void worker.stop({ now: true }),
    async stop() {
      await worker.stop();
      for (const saver of savers) await saver.stop();
    },
    look() {
      const archive = savers.map((saver) => saver.written());
      return Promise.resolve({
        inFlight: worker.inFlight,
        hands: { workers: 1, connections, held: worker.held, pauses: [] },
        waiting: worker.waiting(),
        archive: { files: sum(archive.map((a) => a.files)), bytes: sum(archive.map((a) => a.bytes)) },
      });
    },
    get pause() {
      return worker.pause;
    },
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
