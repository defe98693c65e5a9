import type { StreamedEntry } from '@webfarer/protocol/api';
import type { SinkMessage } from './sink.ts';

/** The crawl that is handed on. Another one of the same id has another time of creation. */
export interface SunkCrawl {
  id: string;
  createdAtMs: number;
}

/**
 * Makes messages of the lines of one answer, in their order. Each has an id that is the same however often it is sent, so that a reader can
 * drop repeats; the items of one page differ in the last number.
 */
export function messageMaker({ id, createdAtMs }: SunkCrawl): (entry: StreamedEntry) => SinkMessage {
  let last = '';
  let index = 0;
  return ({ ...entry }) => {
    const { kind, position, url } = entry;
    index = position === last ? index + 1 : 0;
    last = position;
    // The token belongs to the reader of the log, and grows to several kilobytes.
    if ('token' in entry) delete entry.token;
    return {
      // One partition for each URL, and a compacted topic keeps its newest outcome.
      key: url,
      value: JSON.stringify(entry),
      headers: {
        'webfarer-id': `${id}/${createdAtMs}/${kind}/${position}/${index}`,
        'webfarer-crawl': id,
        'webfarer-kind': kind,
        'webfarer-position': position,
      },
    };
  };
}
