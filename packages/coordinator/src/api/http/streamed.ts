import { jsonLine } from '@webfarer/protocol/crawl';

/** What a stream needs beside its pieces. */
export interface StreamWay {
  /** Ends the connection after what was written, so that the client sees that the answer is not complete. */
  cutOff: () => void;
  /** What went wrong on the way: the status has been sent by then. */
  failed: (error: unknown) => void;
  /** The client is gone. */
  signal: AbortSignal;
}

export interface StreamHead {
  type: string;
  status?: number;
  headers?: Record<string, string>;
}

/** An answer that is written piece by piece, as fast as the client reads. */
export function streamed(
  pieces: AsyncIterable<Uint8Array>,
  way: StreamWay,
  { type, status = 200, headers = {} }: StreamHead,
): Response {
  const hasLength = Object.keys(headers).some((name) => name.toLowerCase() === 'content-length');
  return new Response(ReadableStream.from(guarded(pieces, way)), {
    status,
    // Said outright, the adapter writes each piece as it comes; it would gather the first ones otherwise.
    headers: { ...headers, 'content-type': type, ...(hasLength ? {} : { 'transfer-encoding': 'chunked' }) },
  });
}

/** An error never reaches the adapter, which would print it and answer its text. */
async function* guarded(
  pieces: AsyncIterable<Uint8Array>,
  { cutOff, failed, signal }: StreamWay,
): AsyncIterable<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    if (signal.aborted) return;
    failed(error);
    cutOff();
    // An end would look like the end of the answer.
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  }
}

export async function* linesOf(values: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const value of values) yield encoder.encode(jsonLine(value));
}

export async function* encoded(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
