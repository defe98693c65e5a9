import type { StallCause } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { ruledAway, stallCauses } from '@webfarer/protocol/crawl';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import type { ShownState } from './state-badge.tsx';

export interface ProblemWords {
  words: string;
  tone: 'bad' | 'warn' | 'calm';
  /** What the coordinator says about it, with figures. */
  detail?: string;
}

export interface Cause {
  cause: StallCause;
  text: string;
  host?: string;
  retryInMs?: number;
}

/** Waiting that is part of being polite, and no trouble. */
const calm: ReadonlySet<StallCause> = new Set([
  'gap',
  'crawl-delay',
  'rule',
  'slow',
  'held',
  'other-crawl',
  'connections-held',
  'operator',
  'limit',
]);
/** Whether a crawl that waits for this is well. */
export const isCalm = (cause: StallCause): boolean => calm.has(cause);

/** From this share of failures on, a person wants to know. */
const manyFailed = 0.1;

/** Why something waits, in a sentence: whom it concerns, why, and when it is tried again. */
export function useCauseWords(): (cause: Cause) => ProblemWords {
  const { card, causes } = useText();
  const { roughSpan } = useFormats();
  return ({ cause, text, host, retryInMs }) => {
    const meaning = causes[cause] ?? stallCauses[cause].meaning;
    const whom = host === undefined ? '' : `${host}: `;
    const when =
      retryInMs === undefined || retryInMs < 2_000 ? '' : `; ${card.retryIn(roughSpan(retryInMs))}`;
    return {
      words: sentence(`${whom}${meaning}${when}`),
      tone: calm.has(cause) ? 'calm' : 'warn',
      detail: text,
    };
  };
}

/** The one thing a person should know about a crawl, most serious first. Polite waiting is none. */
export function useProblemWords(about: {
  status: CrawlStatus | undefined;
  detail: CrawlDetail | undefined;
  state: ShownState | undefined;
}): ProblemWords | undefined {
  const { card } = useText();
  const { percent, count } = useFormats();
  const wordsOf = useCauseWords();
  const { status, detail, state } = about;
  const isOver = state === 'stopped' || state === 'finished';
  if (state === 'failed' && detail?.failure) return { words: detail.failure.message, tone: 'bad' };
  if (status?.pause && !isOver) return wordsOf(status.pause);
  const failed = failedShare(status);
  if (failed >= manyFailed) return { words: card.failedShare(percent(failed)), tone: 'bad' };
  if (state === 'running' && status?.stall && !calm.has(status.stall.cause)) return wordsOf(status.stall);
  if (state === 'limited' && status?.limitedBy)
    return { words: card.limited[status.limitedBy], tone: 'calm' };
  const refused = ruledAway({ ...status, state });
  if (refused !== undefined)
    return { words: card.ruledAway(count(refused), count(status?.balance?.known ?? 0)), tone: 'warn' };
  return undefined;
}

function failedShare(status: CrawlStatus | undefined): number {
  if (!status?.balance) return 0;
  const { done, failed, refused } = status.balance;
  return failed / Math.max(1, done + failed + refused);
}

/** Host names keep their first letter. */
const sentence = (text: string): string =>
  /^\S+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
