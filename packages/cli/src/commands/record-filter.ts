import type { RecordFilter } from '@webfarer/coordinator';
import { type HostKey, type OutcomeReason, type Verdict, WebfarerError } from '@webfarer/protocol';
import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';

/** Options that choose among outcomes. */
export interface RecordOptions {
  status?: string;
  reason?: string;
  verdict?: Verdict;
  host?: string;
}

/** Which outcomes are meant; all conditions hold. */
export function recordFilterOf({ status, reason, verdict, host }: RecordOptions): RecordFilter {
  if (status !== undefined && !/^[1-5](?:xx|\d\d)$/.test(status)) {
    throw new WebfarerError('usage', `--status ${status} is invalid.`, { next: 'Write 503 or 5xx.' });
  }
  if (reason !== undefined && !(reason in { ...doneReasons, ...failedReasons, ...refusedReasons })) {
    throw new WebfarerError('usage', `There is no reason "${reason}".`, {
      next: `One of: ${Object.keys({ ...failedReasons, ...refusedReasons }).join(', ')}`,
    });
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason: reason as OutcomeReason }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(host === undefined ? {} : { host: host.toLowerCase() as HostKey }),
  };
}
