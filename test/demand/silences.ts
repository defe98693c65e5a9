import type { LogEntry } from '../fake-web/request-log.ts';
import { monotonicNs } from '../fake-web/request-log.ts';

/** Moments at which this process had the machine for itself, on the clock of the web's log. */
export interface Ticks {
  readonly atNs: number[];
  stop(): void;
}

export const tickMs = 250;
/** Later than this the machine was too busy to blame anybody for the time that has passed. */
const lateMs = 2 * tickMs;

export function startTicks(): Ticks {
  const atNs: number[] = [];
  const timer = setInterval(() => atNs.push(monotonicNs()), tickMs);
  return { atNs, stop: () => clearInterval(timer) };
}

/** From when on a crawl had something to do, until when. */
export interface Work {
  fromNs: number;
  toNs: number;
}

/**
 * The longest time, in ms, in which nothing was asked of these hosts while their crawl had work. Counted in ticks that
 * came on time: what the machine did not let anybody do is not charged.
 */
export function longestSilenceMs(
  log: readonly LogEntry[],
  ticks: readonly number[],
  { hosts, work }: { hosts: ReadonlySet<string>; work: readonly Work[] },
): number {
  const own = log.filter(({ host }) => hosts.has(host)).map(({ startNs }) => startNs);
  let longest = 0;
  for (const { fromNs, toNs } of work) {
    const inside = own.filter((at) => at > fromNs && at < toNs).toSorted((a, b) => a - b);
    const marks = [fromNs, ...inside, toNs];
    for (let n = 1; n < marks.length; n++)
      longest = Math.max(longest, calmMs(ticks, marks[n - 1] as number, marks[n] as number));
  }
  return longest;
}

function calmMs(ticks: readonly number[], fromNs: number, toNs: number): number {
  if (toNs - fromNs <= tickMs * 1e6) return 0;
  let calm = 0;
  for (let n = 1; n < ticks.length; n++) {
    const [before, at] = [ticks[n - 1] as number, ticks[n] as number];
    if (before >= fromNs && at <= toNs && at - before <= lateMs * 1e6) calm++;
  }
  return calm * tickMs;
}
