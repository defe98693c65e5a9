import type { Clock, FailedTry, LeaseReport, Settlement, WorkerId } from '@webfarer/protocol';
import { mostTries } from '@webfarer/protocol/crawl';

/** URLs whose failed tries are remembered: those that failed last. */
const mostUrls = 10_000;
/** Of what was seen, in characters. */
const mostDetail = 200;

/**
 * Who fetched a page, and which tries before it failed. A queue keeps only how many tries there were: to store each of
 * them would be a write for every failure, read by hardly anyone. They are remembered here, and written once, in the
 * record that the URL ends with. Lost with the process, and not known to other coordinators: a record has the number of
 * tries anyway, so a list that is too short is seen as such.
 */
export interface TryBook {
  /** Completes the records of a report, in place: it is called for every page. Calling it again changes nothing. */
  complete(worker: WorkerId, report: LeaseReport): void;
  /** The report was accepted. */
  accepted(worker: WorkerId, report: LeaseReport): void;
}

type Retry = Extract<Settlement, { kind: 'retry' }>;

export function createTryBook(clock: Pick<Clock, 'now'>): TryBook {
  const failed = new Map<string, FailedTry[]>();
  const keyOf = ({ crawl }: LeaseReport, url: string) => `${crawl} ${url}`;

  function note(key: string, retry: Retry, by: string): void {
    const { reason, detail, startedAtMs, durationMs } = retry;
    const before = failed.get(key) ?? [];
    // A report that was sent twice.
    if (startedAtMs !== undefined && before.at(-1)?.atMs === startedAtMs) return;
    const one: FailedTry = { atMs: startedAtMs ?? Math.round(clock.now()), reason, by };
    if (durationMs !== undefined) one.tookMs = durationMs;
    if (detail !== undefined) one.detail = detail.slice(0, mostDetail);
    failed.delete(key);
    failed.set(key, [...before, one].slice(-mostTries));
    const [oldest] = failed.keys();
    if (failed.size > mostUrls && oldest !== undefined) failed.delete(oldest);
  }

  return {
    complete(worker, report) {
      for (const one of report.settled) {
        if (one.kind === 'retry') continue;
        const { record } = one;
        // What a stored answer was fetched by stands in it.
        if (record.fetched) record.fetched.by ??= worker;
        const earlier = record.attempts > 1 ? failed.get(keyOf(report, one.url)) : undefined;
        // Never more than were charged: an earlier crawl may have had the same name.
        if (earlier) record.tries = earlier.slice(-Math.min(mostTries, record.attempts - 1));
      }
    },
    accepted(worker, report) {
      for (const one of report.settled) {
        if (one.kind === 'retry') note(keyOf(report, one.url), one, worker);
        else if (failed.size > 0) failed.delete(keyOf(report, one.url));
      }
    },
  };
}
