import type { StallCause } from '@webfarer/protocol';
import { stallCauses } from '@webfarer/protocol/crawl';

/** Causes on our own side. What is wrong there differs each time, and only the text of the cause says it. */
const ownSide: ReadonlySet<StallCause> = new Set<StallCause>([
  'workers-unable',
  'workers-disk',
  'workers-offline',
  'saving',
  'object-storage',
  'disk',
  'min-free',
  'no-network',
  'store',
  'store-full',
  'store-replicas',
  'login',
]);

export interface CauseParts {
  cause: StallCause;
  /** What the coordinator or a worker says about it, in English. */
  text: string;
  /** The cause in the language of the reader. */
  meaning: string;
  host: string | undefined;
  /** When it is tried again, in words. */
  again: string | undefined;
}

/** Whom it concerns, why, what exactly is wrong, and when it is tried again. */
export function causeSentence({ cause, text, meaning, host, again }: CauseParts): string {
  const isTold = text === '' || text === meaning || text === stallCauses[cause].meaning;
  return sentence(
    [
      host === undefined ? '' : `${host}: `,
      meaning,
      ownSide.has(cause) && !isTold ? `: ${text}` : '',
      again === undefined ? '' : `; ${again}`,
    ].join(''),
  );
}

/** Host names keep their first letter. */
export const sentence = (text: string): string =>
  /^\S+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
