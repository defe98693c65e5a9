/** Times in milliseconds: from typing a command to its first request for a page, and of half a second of computing. */
export interface Starts {
  firstPageMs: number[];
  yardstickMs: number[];
}

/** A Node that computes for half a second: as much as the machine lacks, so much longer it takes. */
export const yardstick =
  "node -e 'const from = process.cpuUsage(); while (process.cpuUsage(from).user < 500_000);'";

const limitMs = 2_000;
/** What the yardstick takes on a machine that has nothing else to do. */
const usualMs = 550;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY;

/** On a machine that is busy with other things, so many times longer may something take. */
export function allowedMs(usually: number, yardstickMs: readonly number[]): number {
  return usually * Math.max(1, median(yardstickMs) / usualMs);
}

export function startFailures({ firstPageMs, yardstickMs }: Starts): string[] {
  const allowed = allowedMs(limitMs, yardstickMs);
  const taken = median(firstPageMs);
  return taken <= allowed
    ? []
    : [`the first page was asked for after ${Math.round(taken)} ms, not at most ${Math.round(allowed)}`];
}
