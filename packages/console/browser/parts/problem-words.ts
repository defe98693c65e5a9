import type { StallCause } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { refusedReasons, ruledAway, stallCauses } from '@webfarer/protocol/crawl';
import { isCalm, numberOf, shownState } from '@webfarer/protocol/numbers';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import { causeSentence, sentence } from './cause-sentence.ts';
import { useReasonWords } from './reason-words.ts';
import type { LifeState } from './state-badge.tsx';

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

/** From this share of failures on, a person wants to know. */
const manyFailed = 0.1;

/** Why something waits, in a sentence: whom it concerns, why, and when it is tried again. */
export function useCauseWords(): (cause: Cause) => ProblemWords {
  const { card, causes } = useText();
  const { roughSpan } = useFormats();
  return ({ cause, text, host, retryInMs }) => {
    const meaning = causes[cause] ?? stallCauses[cause].meaning;
    const again =
      retryInMs === undefined || retryInMs < 2_000 ? undefined : card.retryIn(roughSpan(retryInMs));
    return {
      words: causeSentence({ cause, text, meaning, host, again }),
      tone: isCalm(cause) ? 'calm' : 'warn',
      detail: text,
    };
  };
}

/** The one thing a person should know about a crawl, most serious first. Polite waiting is none. */
export function useProblemWords(about: {
  status: CrawlStatus | undefined;
  detail: CrawlDetail | undefined;
  state: LifeState | undefined;
}): ProblemWords | undefined {
  const { card } = useText();
  const { percent, count } = useFormats();
  const wordsOf = useCauseWords();
  const because = useReasonWords();
  const { status, detail, state } = about;
  const isOver = state === 'stopped' || state === 'finished';
  if (state === 'failed' && detail?.failure) {
    const { message, next = '' } = detail.failure;
    return { words: `${message} ${next}`.trim(), tone: 'bad' };
  }
  if (status?.pause && !isOver) return wordsOf(status.pause);
  const failed = (status && numberOf('failedShare', status)) ?? 0;
  if (failed >= manyFailed) return { words: card.failedShare(percent(failed)), tone: 'bad' };
  if (state === 'running' && status?.stall && !isCalm(status.stall.cause)) return wordsOf(status.stall);
  if (state === 'limited' && status?.limitedBy)
    return { words: card.limited[status.limitedBy], tone: 'calm' };
  if (shownState({ ...status, state }) === 'blocked')
    return { words: sentence(card.blocked(because(mostRefused(status)))), tone: 'bad' };
  const refused = ruledAway({ ...status, state });
  if (refused !== undefined)
    return { words: card.ruledAway(count(refused), count(status?.balance?.known ?? 0)), tone: 'warn' };
  return undefined;
}

/** Why most of its URLs were refused. */
function mostRefused(status: CrawlStatus | undefined): string {
  const counts = Object.entries(status?.byReason ?? {}).filter(([reason]) => reason in refusedReasons);
  return counts.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
