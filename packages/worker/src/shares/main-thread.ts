import { shareTurns } from '../extract/turns.ts';
import { createLoopShares, type LoopShares } from './loop-shares.ts';

/** There is one in a process, whatever workers it has. What is measured here is this process, not the web. */
export const mainThread: LoopShares = createLoopShares({
  nowMs: () => performance.now(), // allow(time): the main thread of this process
  cpuMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  later: setImmediate,
  every(ms, then) {
    const timer = setInterval(then, ms).unref(); // allow(time): the main thread of this process
    return () => clearInterval(timer);
  },
});

shareTurns(() => {
  const handling = mainThread.current;
  if (!handling) return undefined;
  return async () => {
    await mainThread.turn(handling.account);
    await mainThread.resume(handling);
  };
});
