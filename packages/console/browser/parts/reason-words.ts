import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { useText } from '../text/use-text.tsx';

const english: Readonly<Record<string, string>> = { ...doneReasons, ...failedReasons, ...refusedReasons };

/** Why a URL ended as it did, in the language of the reader; the code itself where a newer coordinator has one more. */
export function useReasonWords(): (reason: string) => string {
  const { because } = useText().urls;
  return (reason) => {
    const own = Object.hasOwn(because, reason) ? because[reason] : undefined;
    return own ?? (Object.hasOwn(english, reason) ? (english[reason] ?? reason) : reason);
  };
}
