import type { Clock } from '@webfarer/protocol';

/**
 * Milliseconds since the machine started, the same in all of its processes. A step of the wall clock does not touch it,
 * nor does a suspension, after which processes that carry the wall time along would disagree.
 */
export function machineClock(): Pick<Clock, 'now'> {
  return {
    now() {
      const [seconds, nanoseconds] = process.hrtime();
      return seconds * 1_000 + nanoseconds / 1_000_000;
    },
  };
}
