import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 200;
/** Of computing, each time. */
const workMs = 2;

/**
 * How busy the machine is: how many times longer a piece of computing takes than its CPU time. A delay that consists of steps
 * of several processes grows by as much.
 */
export function measureStretch(): { stop(): number } {
  let over = false;
  let [wallMs, cpuMs] = [0, 0];
  async function measure(): Promise<void> {
    while (!over) {
      const [startedMs, before] = [performance.now(), process.threadCpuUsage()];
      let used = 0;
      while (used < workMs) {
        const { user, system } = process.threadCpuUsage(before);
        used = (user + system) / 1_000;
      }
      wallMs += performance.now() - startedMs;
      cpuMs += used;
      await sleep(everyMs);
    }
  }
  void measure();
  return {
    stop() {
      over = true;
      return cpuMs === 0 ? 1 : wallMs / cpuMs;
    },
  };
}
