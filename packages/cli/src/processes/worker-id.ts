import type { WorkerId } from '@webfarer/protocol';

/** How the store knows a worker process; the successor of one that died has the same. */
export function workerId(process: number): WorkerId {
  return `local-${process}` as WorkerId;
}
