import type { Clock, CrawlState } from '@webfarer/protocol';

export interface WorkerDemandOptions {
  clock: Clock;
  state: () => CrawlState;
  /** Hosts of the crawl with URLs in the queue. */
  hostsQueued: () => Promise<number>;
  /** Hosts that workers of this coordinator hold. */
  hostsHeld: () => number;
}

/** How often the queue is looked at. */
const LOOK_MS = 500;
/** Hosts come and go: workers are not sent around for every one that is held for a moment. */
const REMEMBER_MS = 5_000;

/**
 * How many workers a crawl has something to do for: one for each host that has URLs. None while it is paused, limited
 * or over.
 */
export function createWorkerDemand(options: WorkerDemandOptions): () => number {
  const { clock } = options;
  let queued = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking = false;
  let peak = { hosts: 0, atMs: Number.NEGATIVE_INFINITY };

  function look(): void {
    if (looking || clock.now() < lookedAtMs + LOOK_MS) return;
    looking = true;
    options
      .hostsQueued()
      .then(
        (hosts) => {
          queued = hosts;
        },
        // The store is unreachable: what was last seen stands.
        () => undefined,
      )
      .finally(() => {
        looking = false;
        lookedAtMs = clock.now();
      });
  }

  return () => {
    if (options.state() !== 'running') return 0;
    look();
    const hosts = queued + options.hostsHeld();
    if (hosts >= peak.hosts || clock.now() > peak.atMs + REMEMBER_MS) peak = { hosts, atMs: clock.now() };
    return hosts === 0 ? 0 : peak.hosts;
  };
}
