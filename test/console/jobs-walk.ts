import { jobTextScreens, showHostileJobTexts, tryJob, writeJob } from './job-walk.ts';
import { policyScreens, showHostilePolicies, usePolicies } from './policy-walk.ts';
import { scheduleScreens, showHostileSchedules, useSchedules } from './schedule-walk.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** Everything that writes a job: the editor, a try, schedules, policies. */
export async function walkJobs(visitor: Visitor, world: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const use of [writeJob, tryJob, useSchedules, usePolicies]) wrong.push(...(await use(visitor, world)));
  return wrong;
}

export async function showHostileJobs(
  visitor: Visitor,
  world: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  for (const show of [showHostileJobTexts, showHostileSchedules, showHostilePolicies])
    await show(visitor, world, judge);
}

export const jobScreens = [...jobTextScreens, ...scheduleScreens, ...policyScreens];
