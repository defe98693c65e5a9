import { jsonLine } from '@webfarer/protocol/crawl';
import type { SourceFrame } from './source.ts';

/** The text of a frame for one subscription. */
export type Encode = (frame: SourceFrame, id: number) => string;

/** Encodes a frame once, for however many subscriptions it is: all but their ids is the same text. */
export function createEncode(): Encode {
  const texts = new WeakMap<SourceFrame, string>();
  return (frame, id) => {
    let rest = texts.get(frame);
    if (rest === undefined) {
      rest = jsonLine(frame).trimEnd().slice(1);
      texts.set(frame, rest);
    }
    return `{"id":${id},${rest}`;
  };
}
