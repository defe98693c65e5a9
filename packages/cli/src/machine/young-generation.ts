import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * A crawl makes 150 to 400 KB of garbage for each page. In V8's smallest space for young objects, of 1 MiB, collecting it every
 * few pages takes an eighth of all CPU time; 16 MiB halve that. Without a bound the space grows to 64 MiB on a machine with
 * much memory, and large pages fill it again and again.
 */
const enoughBytes = 16 * 1_048_576;
/** A coordinator keeps what many workers report until the next commit. */
const enoughForWorkersBytes = 32 * 1_048_576;

// allow(state): V8 has one growth factor for a process
let growing: PerformanceObserver | undefined;

/** Lets the space for young objects grow to what a crawl needs. The limit itself can only be set when the process starts. */
export function growYoungGeneration(): void {
  growUntil(enoughBytes);
}

/** The same for a coordinator that fetches nothing itself. */
export function growForManyWorkers(): void {
  growUntil(enoughForWorkersBytes);
}

function growUntil(bytes: number): void {
  growing?.disconnect();
  setFlagsFromString('--semi-space-growth-factor=2');
  const collected = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (!young || young.space_size < bytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collected.disconnect();
  });
  collected.observe({ entryTypes: ['gc'] });
  growing = collected;
}

/**
 * For threads that are started from now on. A space that does not grow stays at 2 MiB there, so that whatever a thread
 * reads counts as old at once, and is only collected when there is much of it.
 */
export function startThreadsWithRoom(): void {
  setFlagsFromString('--min-semi-space-size=8');
}
