import { jsonLine } from '@webfarer/protocol/crawl';

/** What a stream needs beside its pieces. */
export interface StreamWay {
  /** Ends the connection after what was written, so that the client sees that the answer is not complete. */
  cutOff: () => void;
  /** What went wrong on the way: the status has been sent by then. */
  failed: (error: unknown) => void;
  /** The client is gone. */
  signal: AbortSignal;
  /** The token of the client is no longer accepted. */
  withdrawn: AbortSignal;
  /** Counts the answer until what it returns is called. */
  enter: () => () => void;
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
  return new Response(ReadableStream.from(begun(guarded(pieces, way))), {
    status,
    // Said outright, the adapter writes each piece as it comes; it would gather the first ones otherwise.
    headers: { ...headers, 'content-type': type, ...(hasLength ? {} : { 'transfer-encoding': 'chunked' }) },
  });
}

/**
 * Begun at once, whether or not anyone reads it: a generator that was never begun is never ended either, and the file or
 * database that it reads would stay open when a client asks for the head alone, or is gone before the first piece.
 */
function begun(pieces: AsyncGenerator<Uint8Array, void, void>): AsyncIterable<Uint8Array> {
  let first: Promise<IteratorResult<Uint8Array, void>> | undefined = pieces.next();
  const iterator: AsyncIterator<Uint8Array, void> = {
    next() {
      const next = first ?? pieces.next();
      first = undefined;
      return next;
    },
    return: () => pieces.return(),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** An error never reaches the adapter, which would print it and answer its text. */
async function* guarded(
  pieces: AsyncIterable<Uint8Array>,
  { cutOff, failed, signal, withdrawn, enter }: StreamWay,
): AsyncGenerator<Uint8Array, void, void> {
  const leave = enter();
  let isWhole = true;
  try {
    for await (const piece of pieces) {
      if (withdrawn.aborted) break;
      yield piece;
    }
  } catch (error) {
    isWhole = false;
    if (!signal.aborted && !withdrawn.aborted) failed(error);
  } finally {
    leave();
  }
  if (signal.aborted || (isWhole && !withdrawn.aborted)) return;
  cutOff();
  // An end would look like the end of the answer.
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
}

export async function* linesOf(values: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const value of values) yield encoder.encode(jsonLine(value));
}

export async function* encoded(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
