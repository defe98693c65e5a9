import { type Clock, WebfarerError } from '@webfarer/protocol';

/** Pauses shorter than this cost more than they give back. */
const shortestPauseMs = 1;
/** Time further back is forgotten, so that a machine that slept does not make up for it at full speed. */
const windowMs = 10_000;

/** Called between short pieces of work: undefined, or what to wait for before the next. */
export type Rest = () => Promise<void> | undefined;

/**
 * Keeps this process at a share of one processor: measures what it used, and sleeps while that is more than its share
 * of the time that passed.
 */
export function cpuShare(share: number, clock: Clock, cpuMs: () => number = processCpuMs): Rest {
  let sinceMs = clock.now();
  let sinceCpuMs = cpuMs();
  const owed = (): number => {
    const [nowMs, usedMs] = [clock.now(), cpuMs()];
    const pause = (usedMs - sinceCpuMs) / share - (nowMs - sinceMs);
    if (nowMs - sinceMs > windowMs) {
      // What is owed stays owed; time that was left unused is not made up for.
      sinceMs = nowMs - windowMs / 2;
      sinceCpuMs = usedMs - (Math.max(0, pause) + windowMs / 2) * share;
    }
    return pause;
  };
  const settle = async (): Promise<void> => {
    for (let pause = owed(); pause >= shortestPauseMs; pause = owed()) await clock.sleep(pause);
  };
  return () => (owed() < shortestPauseMs ? undefined : settle());
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** `25` or `25%`: a share of one processor. */
export function parseCpuShare(text: string): number {
  const percent = /^\d+(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 1 && percent <= 100) return percent / 100;
  throw new WebfarerError('usage', `--cpu-share needs a number from 1 to 100, not "${text}".`, {
    next: 'For example --cpu-share 25, a quarter of one core.',
  });
}

/** Rests after every so many of what comes in, which is seldom more than a few milliseconds of work. */
export async function* rested<T>(values: AsyncIterable<T>, rest: Rest | undefined): AsyncGenerator<T> {
  let count = 0;
  for await (const value of values) {
    yield value;
    if (++count % 64 === 0) await rest?.();
  }
}
