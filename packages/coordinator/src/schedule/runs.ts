import type { RunOutcome, ScheduleDoc, ScheduledRun, StartingRun } from './schedule-doc.ts';

/** What a run does. */
export type RunLook =
  | { kind: 'running' }
  | { kind: 'paused' }
  /** `endedAtMs` is absent where nobody wrote it down: it has ended by now. */
  | { kind: 'over'; outcome: RunOutcome; endedAtMs?: number };

export type StartAnswer =
  /** It stands, whether this call created it or one before. The name may differ from the one asked for. */
  | { kind: 'stands'; name: string; nonce: string }
  /** It was created before and deleted since. */
  | { kind: 'deleted' };

/**
 * The crawls that schedules create. Starting is idempotent: a run is known by its nonce, and however many coordinators
 * start it, and however often, there is one crawl.
 */
export interface ScheduledRuns {
  /**
   * Stops the run that it replaces, if that is not over, and creates this one. Throws where the job cannot be run: nothing was
   * stopped or created then.
   */
  start(run: StartingRun, doc: Pick<ScheduleDoc, 'schedule' | 'team' | 'powers'>): Promise<StartAnswer>;
  /** Looks at a run in progress, and takes part in it where it should run and does not run here. */
  look(run: ScheduledRun): Promise<RunLook>;
}
