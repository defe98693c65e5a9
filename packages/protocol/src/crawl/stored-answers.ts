import type { OutcomeReason } from '../base/reasons.ts';

/** In a crawl folder, as JSON lines: records of pages that are handled once more from the answers that it keeps. */
export const storedRetriesName = 'stored-retries.jsonl';
/** The same of every answer in the archive of a crawl whose store was lost. */
export const rebuiltAnswersName = 'rebuilt-answers.jsonl';

/** Outcomes that are up to the user's code: the answer was fine, and asking the site again would not change them. */
export const handlerReasons: ReadonlySet<OutcomeReason> = new Set([
  'handler',
  'handler-timeout',
  'item-invalid',
] as const);
