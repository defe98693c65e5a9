import { judgeRequests } from '../judge/judge-requests.ts';
import { until } from '../prove/lab.ts';
import type { controls } from './controls.ts';
import { faultTimeoutMs } from './fault-job.ts';
import type { System } from './system.ts';

/** Longer than a worker that stands still keeps its hosts: the lease, the longest fetch and the gap. */
const longFreezeMs = faultTimeoutMs * 4 + 1_500;
const underWay = 150;
const watchMs = 60_000;

/** Disturbs a network with a rule out as that rule was made for, and answers how often a host was asked too soon. */
export async function runControl(
  rule: keyof typeof controls,
  system: System,
  gapMs: number,
): Promise<number> {
  const { fake } = system;
  if (rule === 'fencing') {
    const requests = async (): Promise<number> => (await fake.stats()).requests;
    const isUnderWay = async () => (await requests()) >= underWay || system.problem() !== undefined;
    await until('the crawl to be under way', isUnderWay, 60_000);
    await freezeOne(system);
  }
  const violations = async (): Promise<number> =>
    judgeRequests({ web: fake.web, expect: {}, log: await fake.log(), gapMs, epsilonMs: 1 }).gapViolations;
  // Such a crawl may fail in any way, or never end.
  const isOver = async (): Promise<boolean> => system.problem() !== undefined || (await system.isOver());
  const found = async (): Promise<boolean> => (await violations()) > 0 || (await isOver());
  await until('violations', found, watchMs).catch(() => undefined);
  return await violations();
}

/** It comes back when others have long been given its hosts. */
async function freezeOne(system: System): Promise<void> {
  const [victim] = system.parts('worker').filter(({ alive }) => alive);
  if (!victim) throw new Error('no worker to freeze');
  await victim.freeze();
  await pause(longFreezeMs);
  victim.thaw();
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
