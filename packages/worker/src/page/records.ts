import type {
  Entry,
  FailedReason,
  FetchedFacts,
  OutcomeReason,
  PageRecord,
  Reason,
  RefusedReason,
  Settlement,
  Verdict,
} from '@webfarer/protocol';
import type { CrawlContext } from '../context/context.ts';
import type { FetchTimes } from '../fetch/fetch.ts';
import { callOwn, HookError, hookDone, isPromise } from './own-code.ts';

export interface OutcomeFacts {
  verdict: Verdict;
  reason: OutcomeReason;
  detail?: string;
  times: FetchTimes;
  /** Whether this try is charged to the URL. */
  charged: boolean;
  more?: Partial<PageRecord>;
}

/** The record of one URL, from its entry and what was seen. */
export function recordOf(entry: Entry, facts: OutcomeFacts): PageRecord {
  const { startedAtMs, durationMs, firstByteMs, phases } = facts.times;
  const { label, request, referrer } = entry;
  const record: PageRecord = {
    url: entry.url,
    verdict: facts.verdict,
    reason: facts.reason,
    kind: entry.kind,
    depth: entry.depth,
    attempts: entry.attempt + (facts.charged ? 1 : 0),
    bytes: 0,
    startedAtMs: Math.round(startedAtMs),
    durationMs: Math.round(durationMs),
    links: 0,
    items: 0,
  };
  if (facts.detail !== undefined) record.detail = facts.detail;
  if (label !== undefined) record.label = label;
  if (request !== undefined) record.request = request;
  if (referrer !== undefined) record.referrer = referrer;
  if (firstByteMs !== undefined) record.firstByteMs = Math.round(firstByteMs);
  if (phases !== undefined) record.fetched = wholeMs(phases);
  return facts.more ? Object.assign(record, facts.more) : record;
}

/** Stored for every page: a fraction of a millisecond is not worth its digits. */
function wholeMs({ by, reused, waitedMs, dnsMs, connectMs, tlsMs }: FetchedFacts): FetchedFacts {
  const whole: FetchedFacts = {};
  if (by !== undefined) whole.by = by;
  if (waitedMs !== undefined) whole.waitedMs = Math.round(waitedMs);
  if (reused) whole.reused = true;
  if (dnsMs !== undefined) whole.dnsMs = Math.round(dnsMs);
  if (connectMs !== undefined) whole.connectMs = Math.round(connectMs);
  if (tlsMs !== undefined) whole.tlsMs = Math.round(tlsMs);
  return whole;
}

export function outcome(
  record: PageRecord,
  yielded: Partial<Omit<Extract<Settlement, { kind: 'outcome' }>, 'kind' | 'url' | 'record'>> = {},
): Settlement {
  return {
    kind: 'outcome',
    url: record.url,
    record,
    offers: [],
    edges: [],
    items: [],
    dropped: {},
    ...yielded,
  };
}

/** Decided without a request: robots, scope, budget. */
export function refusedRecord(
  entry: Entry,
  reason: RefusedReason,
  detail: string,
  nowMs: number,
): Settlement {
  const times = { startedAtMs: nowMs, durationMs: 0 };
  return outcome(recordOf(entry, { verdict: 'refused', reason, detail, times, charged: false }));
}

/** Tells the user's hooks how a URL ended. An error in a hook does not change that; it is added to the record. */
export async function tellHooks(context: CrawlContext, settled: Settlement): Promise<void> {
  if (settled.kind !== 'outcome' || settled.record.verdict === 'done') return;
  const { record } = settled;
  const { url, reason, detail, verdict } = record;
  const name = verdict === 'refused' ? 'onSkipped' : 'onFailed';
  const hook = context[name];
  if (!hook) return;
  const told: Reason = { code: reason, ...(detail === undefined ? {} : { detail, rule: detail }) };
  try {
    const answer = callOwn(name, () => hook(url, told) as unknown);
    if (isPromise(answer)) await hookDone(name, [answer], context);
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    record.detail = detail === undefined ? error.message : `${detail}; ${error.message}`;
  }
}

/** It goes back to the queue with one try more. */
export function toTryAgain(
  { url }: Entry,
  { startedAtMs, durationMs }: FetchTimes,
  why: { reason: FailedReason; detail: string },
): Settlement {
  const times = { startedAtMs: Math.round(startedAtMs), durationMs: Math.round(durationMs) };
  return { kind: 'retry', url, ...why, ...times };
}
