import { isDeepStrictEqual } from 'node:util';
import { WebfarerError } from '@webfarer/protocol';
import { defaultTeam, parseJobFile, resolveJob, withoutSecrets } from '@webfarer/protocol/job';
import type { JobGate } from '../admission/admit-job.ts';
import type { ScheduleDoc } from './schedule-doc.ts';

type WhatRuns = Pick<ScheduleDoc, 'schedule' | 'team' | 'powers'>;

/** The job of a run as its schedule has it, for the team of the schedule; its policy is not in it yet. */
export function askedJob({ schedule: { run }, team }: WhatRuns, name: string): Record<string, unknown> {
  const input = 'policy' in run ? { policy: run.policy, seeds: [...run.seeds] } : jobInput(run.job);
  if (input['team'] !== undefined && input['team'] !== team) throw otherTeam(team);
  return { ...input, name, ...(team === defaultTeam ? {} : { team }) };
}

/** The whole job of a run. What its schedule may have done is judged at every run: policies change. */
export async function jobOfRun(what: WhatRuns, name: string, jobs: Pick<JobGate, 'admit'>): Promise<unknown> {
  return await jobs.admit(askedJob(what, name), { scope: what.powers, team: what.team });
}

/** Throws where a run could not be started, so that an operator learns it now and not at night. */
export async function checkJobOf(what: WhatRuns, jobs: Pick<JobGate, 'admit'>): Promise<void> {
  checkStorable(await jobOfRun(what, 'run', jobs));
}

export function checkStorable(input: unknown): void {
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
