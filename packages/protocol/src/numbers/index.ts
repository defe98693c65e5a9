/** Every number and state of a crawl that a person is shown: one definition, one word, one colour. */
export {
  balanceParts,
  type BalancePart,
  type Counted,
  numberOf,
  type NumberMeaning,
  type NumberName,
  numberTable,
  shownBalance,
} from './number-table.ts';
export { isBroken, isErrorStatus, toneOfStatus } from './outcomes.ts';
export { isCalm, isOpen, type Judged, type ShownState, shownState, stateTable } from './states.ts';
export { type TimeLeft, timeLeft } from './time-left.ts';
export { capital, type NumberTone, type Words, wordsOf } from './words.ts';
