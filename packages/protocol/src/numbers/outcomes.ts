import type { FailedReason } from '../base/reasons.ts';
import type { PageRecord } from '../crawl/record.ts';
import type { NumberTone } from './words.ts';

/** From this status on an answer says that something is wrong: whoever follows the link finds no page. */
const firstError = 400;

export const isErrorStatus = (status: number): boolean => status >= firstError;

/** The colour of an answer. A status that is none of HTTP, such as 999, counts as an error of the server. */
export function toneOfStatus(status: number): Extract<NumberTone, 'done' | 'accent' | 'client' | 'failed'> {
  if (status >= 500) return 'failed';
  if (isErrorStatus(status)) return 'client';
  return status >= 300 ? 'accent' : 'done';
}

/** Failures that say nothing about the link: they are of our side, of the account, or for asking too often. */
const ownFailures: ReadonlySet<string> = new Set([
  'handler',
  'handler-timeout',
  'item-invalid',
  'step-failed',
  'render-timeout',
  'render-crash',
  'login',
  'poison',
  'http-429',
  'dns-failed',
  'proxy-failed',
  'no-ipv6',
] satisfies FailedReason[]);

type Outcome = Pick<PageRecord, 'verdict' | 'reason' | 'status' | 'redirectTo'>;

/**
 * A link that leads a visitor nowhere, as far as its own outcome tells: the answer is an error, or there is none. What
 * only all records together tell is found by whoever reads them: circles of redirects, and hosts that had answered.
 */
export function isBroken({ verdict, reason, status, redirectTo }: Outcome): boolean {
  if (verdict === 'failed') return !ownFailures.has(reason);
  if (verdict === 'refused') return reason === 'redirect-limit';
  if (reason === 'redirect') return redirectTo === undefined;
  return status !== undefined && isErrorStatus(status);
}
