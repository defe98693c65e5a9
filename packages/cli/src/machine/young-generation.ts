import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * On a machine with much memory V8 lets the space for young objects grow to 64 MiB, and a crawl that meets large pages
 * fills it again and again: 570 MiB in all beside 233 hostile servers, 458 without that growth. Two rounds of
 * ordinary pages showed no clear difference in CPU time. The limit itself can only be set when the process starts, its growth at any time.
 */
export function boundYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For threads that are started from now on. A space that does not grow stays at 2 MiB there, so that whatever a thread
 * reads counts as old at once, and is only collected when there is much of it.
 */
export function startThreadsWithRoom(): void {
  setFlagsFromString('--min-semi-space-size=8');
}

const ENOUGH_BYTES = 32 * 1_048_576;

/**
 * A coordinator keeps what many workers report until the next commit; in the smallest space that would be gone over 17
 * times a second at 400 pages, a sixth of all it does. So the space may grow to 32 MiB, where it is bound again.
 */
export function widenYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  const collected = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (!young || young.space_size < ENOUGH_BYTES) return;
    boundYoungGeneration();
    collected.disconnect();
  });
  collected.observe({ entryTypes: ['gc'] });
}
