import type { Dispatcher } from 'undici';
import type { Clock } from '@webfarer/protocol';
import { createGrowingBytes, type GrowingBytes } from '../bytes/growing-bytes.ts';
import type { Connection } from './pool.ts';
import { FetchFault } from './failures.ts';
import type { FetchRequest, ResponseHead } from '../fetch/fetch.ts';
import type { Holder } from './held-bytes.ts';
import type { Stop } from './stop.ts';

export interface ExchangeRequest {
  connection: Connection;
  method: FetchRequest['method'];
  path: string;
  /** Of the request. */
  content: FetchRequest['content'];
  /** Names and values in turn; the Host header only where it differs from the connection's origin. */
  headers: string[];
  maxBytes: number;
  maxHeaders: number;
  maxHeaderBytes: number;
  /** Counts the body against what all bodies may take. */
  holder: Holder;
  wanted: FetchRequest['wanted'];
  stop: Stop;
  clock: Clock;
}

export interface Received {
  head: ResponseHead | undefined;
  body: GrowingBytes;
  firstByteAtMs: number | undefined;
  /** The request may have left the machine. */
  sent: boolean;
  unread: boolean;
  /** Cut by us at the size limit. */
  cut: boolean;
  error: unknown;
}

const maxInformational = 10;
// Chunk framing may cost more than the body it frames; endless framing must still end.
const framingSlackBytes = 1_048_576;

/** Sends one request on a connection and collects the answer. Never rejects. */
export function exchange(request: ExchangeRequest): Promise<Received> {
  const { connection, stop, clock } = request;
  const result: Received = {
    head: undefined,
    body: createGrowingBytes(request.maxBytes),
    firstByteAtMs: undefined,
    sent: false,
    unread: false,
    cut: false,
    error: undefined,
  };
  return new Promise((resolve) => {
    let over = false;
    const end = (error?: unknown): void => {
      if (over) return;
      over = true;
      stop.clear();
      connection.watch = undefined;
      result.error ??= error;
      resolve(result);
    };
    /** Ends the exchange with what there is; undici's own error about it comes later and changes nothing. */
    const cutShort = (controller: Dispatcher.DispatchController, error?: unknown): void => {
      end(error);
      controller.abort(new Error('cut short'));
    };
    const readBefore = connection.socket.bytesRead;
    const watchFraming = (): void => {
      const read = connection.socket.bytesRead - readBefore;
      const limit = result.head ? request.maxBytes * 2 + framingSlackBytes : request.maxHeaderBytes * 2;
      if (read <= limit || !inFlight) return;
      result.cut = result.head !== undefined;
      cutShort(inFlight, result.cut ? undefined : new FetchFault('headers-too-large', 'endless head'));
    };
    let inFlight: Dispatcher.DispatchController | undefined;
    let informational = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        result.sent = true;
        inFlight = controller;
        connection.watch = watchFraming;
        stop.onStop((reason) => cutShort(controller, reason));
      },
      onResponseStarted() {
        result.firstByteAtMs ??= clock.now();
      },
      onResponseStart(controller, status, _headers, statusText) {
        if (status < 200) {
          informational += 1;
          if (informational > maxInformational)
            cutShort(controller, new FetchFault('protocol-error', 'too many interim answers'));
          return;
        }
        const headers = headerPairs(controller.rawHeaders);
        const tooLarge = excessOf(headers, request);
        if (tooLarge !== undefined)
          return cutShort(controller, new FetchFault('headers-too-large', tooLarge));
        result.head = { status, statusText: statusText ?? '', headers };
        if (request.wanted && !request.wanted(result.head)) {
          result.unread = true;
          cutShort(controller);
        }
      },
      onResponseData(controller, chunk) {
        if (!result.body.add(chunk)) {
          result.cut = true;
          cutShort(controller);
        } else if (!request.holder.add(chunk.length, () => !over && controller.resume())) controller.pause();
      },
      onResponseEnd: () => end(),
      onResponseError: (_controller, error) => end(error),
    };
    // The stop may come while the request still waits for the connection to be looked at.
    stop.onStop((reason) => {
      end(reason);
      connection.client.destroy().catch(() => {});
    });
    try {
      const { method, path, headers, content } = request;
      const sent = content === undefined ? {} : { body: content };
      connection.client.dispatch({ method, path, headers, ...sent }, handler);
    } catch (error) {
      end(new FetchFault('protocol-error', (error as Error).message));
    }
  });
}

function excessOf(
  headers: [string, string][],
  { maxHeaders, maxHeaderBytes }: ExchangeRequest,
): string | undefined {
  if (headers.length > maxHeaders) return `${headers.length} headers`;
  let bytes = 0;
  for (const [name, value] of headers) bytes += name.length + value.length;
  return bytes > maxHeaderBytes ? `${bytes} bytes of headers` : undefined;
}

function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  const pairs: [string, string][] = [];
  if (!Array.isArray(raw)) return pairs;
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([latin1(raw[i]), latin1(raw[i + 1])]);
  return pairs;
}

function latin1(value: Buffer | string | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '');
}
