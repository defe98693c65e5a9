import { faultTimeoutMs } from '../faults/fault-job.ts';
import type { System } from '../faults/system.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { Random } from '../fuzz/random.ts';
import type { Judgement } from '../judge/judge.ts';
import { until } from './lab.ts';

/** A crawl makes a request or ends within this. */
const calmMs = 120_000;

export interface Trial {
  random: Random;
  quick: boolean;
  under: string;
}

export async function onFakeWeb<T>(work: (fake: FakeWeb) => Promise<T>): Promise<T> {
  const fake = await startFakeWeb({ size: 'S', seed: 5, longestFetchMs: faultTimeoutMs });
  try {
    return await work(fake);
  } finally {
    await fake.stop();
  }
}

export async function finish(system: System): Promise<void> {
  let [requests, seenAtMs] = [0, performance.now()];
  await until(
    'the end of the crawl',
    async () => {
      const problem = system.problem();
      if (problem !== undefined) throw new Error(problem);
      const now = (await system.fake.stats()).requests;
      if (now > requests) [requests, seenAtMs] = [now, performance.now()];
      if (performance.now() - seenAtMs > calmMs) throw new Error(`it stalls:\n${system.said()}`);
      return await system.isOver();
    },
    calmMs * 10,
  );
}

/** Without a record, or never asked for. */
export function lostOf({ lost, unfetched }: Judgement): number {
  return Math.max(lost, unfetched);
}

/** What was fetched since the copy is fetched again: that is the price. Nothing else may differ from the truth. */
export function isRight(judgement: Judgement): boolean {
  const { extra, duplicates, balanced, recorded, expected } = judgement;
  return lostOf(judgement) + extra + duplicates === 0 && balanced && recorded === expected;
}
