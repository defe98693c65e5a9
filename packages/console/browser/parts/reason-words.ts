import { doneReasons, droppedReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { useText } from '../text/use-text.tsx';

const english: Readonly<Record<string, string>> = { ...doneReasons, ...failedReasons, ...refusedReasons };

/** Why a URL ended as it did, in the language of the reader; the code itself where a newer coordinator has one more. */
export function useReasonWords(): (reason: string) => string {
  const { because } = useText().urls;
  return (reason) => wordsFor(reason, because, english);
}

/** Why a link was left out, likewise. */
export function useLeftOutWords(): (reason: string) => string {
  const { leftOut } = useText().urls;
  return (reason) => wordsFor(reason, leftOut, droppedReasons);
}

function wordsFor(reason: string, ...words: Readonly<Record<string, string>>[]): string {
  return words.find((each) => Object.hasOwn(each, reason))?.[reason] ?? reason;
}
