import { jsonLine } from '@webfarer/protocol/crawl';
import type { Source } from './source.ts';

/** How long a browser waits before it connects again. */
const retryMs = 1_000;

/**
 * A subscription as Server-Sent Events: the kind of a frame is the event, its token the id, so that a browser that lost
 * the connection continues behind the last one with `Last-Event-ID`.
 */
export async function* serverSent(source: Source): AsyncGenerator<string, void, void> {
  yield `retry: ${retryMs}\n\n`;
  for await (const { type, token, ...rest } of source)
    yield `event: ${type}\nid: ${token}\ndata: ${jsonLine(rest).trimEnd()}\n\n`;
}
