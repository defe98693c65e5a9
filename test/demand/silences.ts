import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { LogEntry } from '../fake-web/request-log.ts';
import { monotonicNs } from '../fake-web/request-log.ts';

/** Looks at the clock, on that of the web's log, each with what the time since the last one was worth. */
export interface Ticks {
  readonly all: readonly Tick[];
  stop(): void;
}

export interface Tick {
  atNs: number;
  /** Milliseconds, counted down by how many processes had to share each processor. */
  worthMs: number;
}

const tickMs = 250;
/** A later tick says that nothing could run at all. */
const lateMs = 2 * tickMs;

export function startTicks(): Ticks {
  const all: Tick[] = [];
  const timer = setInterval(() => {
    const atNs = monotonicNs();
    const passedMs = (atNs - (all.at(-1)?.atNs ?? atNs)) / 1e6;
    all.push({ atNs, worthMs: Math.min(lateMs, passedMs) * shareOfMachine() });
  }, tickMs);
  return { all, stop: () => clearInterval(timer) };
}

/** However busy it is, 5 s are never more than 20 s by the clock. */
const LEAST_SHARE = 0.25;

/** 1 on a machine that is not busy; half as much where twice as many want to run as there are processors. */
function shareOfMachine(): number {
  const running = Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 1);
  return Math.min(1, Math.max(LEAST_SHARE, availableParallelism() / Math.max(1, running)));
}

/** What the time between two moments was worth. */
export function worthMs({ all }: Ticks, fromNs: number, toNs = Number.POSITIVE_INFINITY): number {
  return all.reduce((sum, tick) => (tick.atNs > fromNs && tick.atNs <= toNs ? sum + tick.worthMs : sum), 0);
}

/** From when on a crawl had something to do, until when. */
export interface Work {
  fromNs: number;
  toNs: number;
}

export interface Silence {
  /** In time that the machine had for everybody. */
  ms: number;
  wallMs: number;
}

/** The longest time in which nothing was asked of these hosts while their crawl had work. */
export function longestSilence(
  log: readonly LogEntry[],
  ticks: Ticks,
  { hosts, work }: { hosts: ReadonlySet<string>; work: readonly Work[] },
): Silence {
  const own = log.filter(({ host }) => hosts.has(host)).map(({ startNs }) => startNs);
  const longest: Silence = { ms: 0, wallMs: 0 };
  for (const { fromNs, toNs } of work) {
    const inside = own.filter((at) => at > fromNs && at < toNs).toSorted((a, b) => a - b);
    const marks = [fromNs, ...inside, toNs];
    for (let n = 1; n < marks.length; n++) {
      const [from, to] = [marks[n - 1] as number, marks[n] as number];
      longest.ms = Math.max(longest.ms, Math.round(worthMs(ticks, from, to)));
      longest.wallMs = Math.max(longest.wallMs, Math.round((to - from) / 1e6));
    }
  }
  return longest;
}
