import { openAccount } from './account.ts';
import { guardLoop } from './loop-guard.ts';
import { mainThread } from './main-thread.ts';

/** A process with a page that takes very long: it computes, or only waits. */
const [folder = '', how] = process.argv.slice(2);
// Longer than a sign of life may be late on a busy machine.
guardLoop({ folder, afterMs: 4_000 });
const handling = {
  account: openAccount('team', 'shop'),
  url: 'https://a.example/never',
  stage: 'handler',
} as const;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** By the time of the processor: on a busy machine it takes longer, and is ended all the same. */
function compute(ms: number): void {
  for (let usedMs = 0; usedMs < ms; ) {
    const { user, system } = process.threadCpuUsage();
    usedMs = (user + system) / 1_000;
  }
}

setTimeout(() => {
  mainThread.run(handling, () => {
    if (how === 'waits') Atomics.wait(sleeper, 0, 0, 10_000);
    else compute(60_000);
  });
  process.exit(0);
}, 1_500);
