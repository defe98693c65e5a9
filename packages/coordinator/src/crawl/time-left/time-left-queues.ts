import type { Clock, HostKey, HostWait } from '@webfarer/protocol';

/** What a snapshot shows of the queues. */
export interface QueueLook {
  hostsQueued: number;
  waiting: readonly Pick<HostWait, 'host' | 'queued'>[];
}

export interface QueueBound {
  /** `open`: URLs of all hosts that are not settled. */
  look(look: QueueLook, open: number): void;
  /** No crawl is faster: a host is asked for one page at a time, with a gap in between. */
  leastMs(): number;
  reset(): void;
}

const MOST_HOSTS = 50;

/**
 * The longest queue of a host takes its length times the gap. Which queue is the longest is not asked of the store: it is
 * at least the average, and the hosts that come up in every look are remembered.
 */
export function createQueueBound({ clock, gapMs }: { clock: Clock; gapMs: () => number }): QueueBound {
  const longest = new Map<HostKey, { queued: number; atMs: number }>();
  let average = 0;

  /** A host's queue now is at least this, whatever happened since. */
  function stillQueued({ queued, atMs }: { queued: number; atMs: number }): number {
    return queued - (gapMs() > 0 ? (clock.now() - atMs) / gapMs() : queued);
  }

  function forgetShortest(): void {
    const least = [...longest].reduce((a, b) => (stillQueued(a[1]) <= stillQueued(b[1]) ? a : b));
    longest.delete(least[0]);
  }

  return {
    look({ hostsQueued, waiting }, open) {
      average = hostsQueued > 0 ? open / hostsQueued : 0;
      for (const { host, queued } of waiting) {
        longest.set(host, { queued, atMs: clock.now() });
        if (longest.size > MOST_HOSTS) forgetShortest();
      }
    },
    leastMs() {
      const queued = Math.max(average, ...Array.from(longest.values(), stillQueued));
      // The first page needs no gap.
      return Math.max(0, queued - 1) * gapMs();
    },
    reset: () => longest.clear(),
  };
}
