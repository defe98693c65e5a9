import type { PageRecord, Url } from '@webfarer/protocol';
import { isBroken } from '@webfarer/protocol/numbers';

/** What the outcome of a URL says about links to it. */
export type Judgement =
  | { is: 'good'; depth: number }
  | { is: 'broken'; status?: number; reason: string; detail?: string }
  | { is: 'unchecked'; reason: string; detail?: string }
  | { is: 'redirect'; to: Url | undefined; status: number };

/** Refused after it had answered: the link is good, only its body is not wanted. */
const answered = new Set(['type', 'too-large']);
/** The page was read; the user's own code failed on it. */
const ownCode = new Set(['handler', 'handler-timeout', 'item-invalid']);

export function judgeRecord(record: PageRecord, accepted: ReadonlySet<number>): Judgement {
  const { verdict, reason, status, detail, depth } = record;
  const why = { reason, ...(detail === undefined ? {} : { detail }) };
  if (status !== undefined && accepted.has(status)) return { is: 'good', depth };
  if (verdict === 'refused' && !isBroken(record))
    return answered.has(reason) ? { is: 'good', depth } : { is: 'unchecked', ...why };
  if (reason === 'redirect') return { is: 'redirect', to: record.redirectTo, status: status ?? 0 };
  if (isBroken(record)) return { is: 'broken', ...why, ...(status === undefined ? {} : { status }) };
  if (verdict === 'failed' && !ownCode.has(reason)) return { is: 'unchecked', ...why };
  return { is: 'good', depth };
}
