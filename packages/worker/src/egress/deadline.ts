import type { Bounds } from './bounds.ts';
import type { Holder } from './held-bytes.ts';

export interface DeadlineOptions {
  bounds: Bounds;
  timeoutMs: number;
  holder: Pick<Holder, 'bytes' | 'waitedMs'>;
  /** For how long this process was too busy to read, so far. */
  delayedMs: () => number;
  expired: (why: string) => void;
}

/** How often a body's pace is looked at, and the bytes that must have come in between. */
const lookMs = 10_000;
const leastBytes = 10_240;

/**
 * Ends a request that takes too long, or whose body only drips: such a server would have us wait for as long as the
 * deadline lets it. Time for which we ourselves made the body wait, or did not look, is not the server's and comes on top,
 * but at most as much again: hosts stay leased for twice the timeout, not for longer. Answers what calls it all off.
 */
export function startDeadline(options: DeadlineOptions): () => void {
  const { bounds, timeoutMs, holder, expired } = options;
  let leftMs = timeoutMs;
  let waitedMs = 0;
  let delayedMs = options.delayedMs();
  let grantedMs = 0;
  let bytes = 0;
  let callOff = next();

  function next(): () => void {
    const ms = Math.min(leftMs, lookMs);
    leftMs -= ms;
    return bounds.within(ms, () => look(ms === lookMs));
  }

  function look(wholeTurn: boolean): void {
    const waited = holder.waitedMs() - waitedMs;
    const delayed = options.delayedMs() - delayedMs;
    const came = holder.bytes() - bytes;
    if (wholeTurn && bytes > 0 && waited === 0 && delayed < lookMs / 2 && came < leastBytes)
      return expired(`only ${came} bytes in ${lookMs} ms`);
    const granted = Math.min(Math.ceil(waited + delayed), timeoutMs - grantedMs);
    waitedMs += waited;
    delayedMs += delayed;
    grantedMs += granted;
    bytes += came;
    leftMs += granted;
    if (leftMs > 0) callOff = next();
    else expired(`not complete within ${timeoutMs} ms`);
  }

  return () => callOff();
}
