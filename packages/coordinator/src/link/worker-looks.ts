import type { LinkedWorker } from './link-server.ts';
import type { CrawlId, Hands, HostWait } from '@webfarer/protocol';

export interface WorkersLook {
  inFlight: number;
  waiting: HostWait[];
  hands: Hands;
}

/** What all connected workers do for a crawl, as each said last. */
export function lookAtWorkers(workers: readonly LinkedWorker[], crawl: CrawlId, nowMs: number): WorkersLook {
  const hands: Hands = { workers: 0, connections: 0, held: 0, pauses: [] };
  const waiting: HostWait[] = [];
  let inFlight = 0;
  for (const { worker, look, held, connections, cordoned } of workers) {
    // What a cordoned worker still has is finished, but nothing more can be given to it.
    hands.workers += cordoned ? 0 : 1;
    hands.connections += cordoned ? held : connections;
    hands.held += held;
    // One that has said nothing yet is at work on what it was given.
    inFlight += look ? Math.min(look.inFlight, held) : held;
    if (look?.pause && !cordoned) hands.pauses.push(look.pause);
    const failed = cordoned ? undefined : look?.unable?.find((one) => one.crawl === crawl);
    if (failed) {
      hands.unable ??= { workers: 0, text: `worker ${worker}: ${failed.message}`, code: failed.code };
      hands.unable.workers++;
    }
    const ageMs = look ? nowMs - look.atMs : 0;
    for (const { crawl: of, ...wait } of look?.waiting ?? [])
      if (of === crawl) waiting.push({ ...wait, dueInMs: Math.max(0, wait.dueInMs - ageMs) });
  }
  return { inFlight, waiting, hands };
}
