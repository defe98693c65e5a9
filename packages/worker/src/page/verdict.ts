import type { FailedReason } from '@webfarer/protocol';

/** What an HTTP answer means for its URL. */
export type AnswerMeaning =
  | { kind: 'content'; reason: 'ok' }
  | { kind: 'redirect' }
  | { kind: 'final'; reason: 'http-4xx' | 'http-other' | 'not-modified' }
  /** The host asks for patience: try again later, everybody. */
  | { kind: 'again'; reason: Extract<FailedReason, 'http-429' | 'http-5xx'> };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function meaningOf(status: number, hasLocation: boolean): AnswerMeaning {
  if (status >= 200 && status < 300) return { kind: 'content', reason: 'ok' };
  if (REDIRECTS.has(status) && hasLocation) return { kind: 'redirect' };
  if (status === 304) return { kind: 'final', reason: 'not-modified' };
  if (status === 429) return { kind: 'again', reason: 'http-429' };
  if (status >= 400 && status < 500) return { kind: 'final', reason: 'http-4xx' };
  if (status >= 500 && status < 600) return { kind: 'again', reason: 'http-5xx' };
  return { kind: 'final', reason: 'http-other' };
}

/**
 * How a failed try is charged. `host`: nobody answered, so the URL is not to blame and only the host's
 * rounds count. `both`: something went wrong after the connection stood, which one URL alone can cause.
 * `url`: the answer itself was bad. `none`: trying again cannot help.
 */
export const blame: Record<FailedReason, 'host' | 'both' | 'url' | 'none'> = {
  'dns-not-found': 'none',
  'dns-failed': 'host',
  'connect-refused': 'host',
  'connect-timeout': 'host',
  unreachable: 'host',
  'no-ipv6': 'host',
  'proxy-failed': 'host',
  'tls-error': 'host',
  'connection-reset': 'both',
  timeout: 'both',
  'protocol-error': 'url',
  'headers-too-large': 'none',
  'bad-encoding': 'none',
  'http-429': 'url',
  'http-5xx': 'url',
  'host-dead': 'none',
  'render-timeout': 'url',
  'render-crash': 'url',
  'step-failed': 'url',
  handler: 'url',
  'handler-timeout': 'url',
  'item-invalid': 'none',
  login: 'none',
  poison: 'none',
};

/** No answer, or none to its end: of one URL, or of its whole host. Only a probe tells which. */
export function isSilence(reason: FailedReason): boolean {
  return blame[reason] === 'host' || blame[reason] === 'both';
}

/** Retry-After in seconds or as a date; undefined when absent or unreadable, 0 when in the past. */
export function retryAfterMs(value: string | undefined, nowMs: number, maxMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  // A date begins with the name of a day; Date.parse alone would take `-5` for a year.
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : /^[A-Za-z]{3}/.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(0, ms), maxMs);
}
