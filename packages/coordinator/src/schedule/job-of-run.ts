import { isDeepStrictEqual } from 'node:util';
import { WebfarerError } from '@webfarer/protocol';
import { defaultTeam, parseJobFile, resolveJob, withoutSecrets } from '@webfarer/protocol/job';
import type { ScheduleDoc } from './schedule-doc.ts';

/** The job that a policy makes of these seeds, as a person would write it. */
export type PolicyJob = (policy: string, seeds: readonly string[]) => Promise<Record<string, unknown>>;

type WhatRuns = Pick<ScheduleDoc, 'schedule' | 'team'>;

/** The job of a run, under the run's name and for the team of the schedule. */
export async function jobOfRun(
  { schedule: { run }, team }: WhatRuns,
  name: string,
  policyJob: PolicyJob,
): Promise<Record<string, unknown>> {
  const input = 'policy' in run ? await policyJob(run.policy, run.seeds) : jobInput(run.job);
  if (input['team'] !== undefined && input['team'] !== team) throw otherTeam(team);
  return { ...input, name, ...(team === defaultTeam ? {} : { team }) };
}

/** Throws where a run could not be started, so that an operator learns it now and not at night. */
export async function checkJobOf(what: WhatRuns, policyJob: PolicyJob): Promise<void> {
  const input = await jobOfRun(what, 'run', policyJob);
  const { seeds } = resolveJob(input);
  if (seeds.some((seed) => 'file' in seed))
    throw new WebfarerError('usage', 'the job of a schedule names a seed file', {
      next: 'Write the seeds into the job: every coordinator can start it, and each has its own disk.',
    });
  if (!isDeepStrictEqual(withoutSecrets(input), input))
    throw new WebfarerError('usage', 'the job of a schedule contains a password', {
      next: 'Schedules are stored where others can read them. Give passwords to the coordinators when they start.',
    });
}

function jobInput(job: string | Record<string, unknown>): Record<string, unknown> {
  return typeof job === 'string' ? (parseJobFile(job, 'job').input as Record<string, unknown>) : job;
}

function otherTeam(team: string): WebfarerError {
  return new WebfarerError('usage', `the schedule belongs to the team ${team}, its job to another`, {
    next: 'Leave team out of the job.',
  });
}
