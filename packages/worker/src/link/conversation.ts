import { type Clock, type ErrorCode, errorCodes, WebfarerError } from '@webfarer/protocol';
import {
  type CoordinatorFrame,
  frameBounds,
  type Hello,
  linkCloses,
  type Order,
  readCoordinatorFrame,
  type Request,
  type SentFailure,
  type Welcome,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import type { Dial, SocketEnd } from './socket.ts';

/** Heartbeats without a sign of life after which the other side is gone. */
const MISSED_BEATS = 3;

export interface ConversationOptions {
  url: string;
  dial: Dial;
  hello: Hello;
  clock: Clock;
  /** Until it must have welcomed us. */
  patienceMs: number;
  order(order: Order): void;
  /** Gives up while it is not welcomed yet. */
  signal: AbortSignal;
}

/** What a call asks, without the number that it is given here. */
export type Call = Request extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

/** One connection to one coordinator, from its welcome to its end. */
export interface Conversation {
  readonly welcome: Welcome;
  /** Rejects with what the coordinator said, or `link-lost` when it is gone before it answered. */
  call(request: Call): Promise<unknown>;
  tell(frame: Extract<WorkerFrame, { type: 'dry' | 'look' | 'resources' | 'bye' }>): void;
  /** Resolves when every call so far is answered. */
  settled(): Promise<void>;
  leave(reason: string, failure?: SentFailure): void;
  /** At once, without a word. */
  cut(): void;
  /** Resolves with why. */
  readonly closed: Promise<WebfarerError>;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Connects and says hello. Rejects with `worker-refused` or `link-version` where trying again is of no use, and with
 * `link-refused` where the token is not accepted: it may be rotated meanwhile.
 */
export async function converse(options: ConversationOptions): Promise<Conversation> {
  const { clock, hello } = options;
  const waiting = new Map<number, Waiting>();
  const welcomed = Promise.withResolvers<Welcome>();
  const closed = Promise.withResolvers<WebfarerError>();
  const over = new AbortController();
  let lastId = 0;
  let missed = 0;
  let said: WebfarerError | undefined;

  const socket = options.dial(
    { url: options.url, maxBytes: frameBounds.bytes, patienceMs: options.patienceMs },
    {
      opened: () => send(hello),
      alive() {
        missed = 0;
      },
      message(text) {
        try {
          take(readCoordinatorFrame(text));
        } catch (error) {
          said ??= error instanceof WebfarerError ? error : lost(String(error));
          socket.close(linkCloses.misused, 'a frame is malformed');
        }
      },
      closed: (end) => finish(reasonOf(end, options.url, said)),
    },
  );

  function send(frame: WorkerFrame): void {
    socket.send(JSON.stringify(frame), () => undefined);
  }

  function take(frame: CoordinatorFrame): void {
    switch (frame.type) {
      case 'welcome': {
        const { type: _type, ...welcome } = frame;
        return welcomed.resolve(welcome);
      }
      case 'answer':
        return settle(frame.id, (asked) => asked.resolve(frame.value));
      case 'error':
        return failed(frame);
      case 'bye':
        said ??= lost(`the coordinator at ${options.url} closed the connection: ${frame.reason}`);
        return socket.close(linkCloses.bye, 'bye');
      default:
        return options.order(frame);
    }
  }

  function failed({ id, code, message, next }: Extract<CoordinatorFrame, { type: 'error' }>): void {
    const known: ErrorCode = code in errorCodes ? code : 'internal';
    const error = new WebfarerError(known, message, next === undefined ? {} : { next });
    // Without an answer to its hello the worker would try the same one for ever, with nothing to be seen.
    if (id === undefined && known === 'frame-invalid') welcomed.reject(helloRefused(options.url, error));
    if (id === undefined) said = error;
    else settle(id, (asked) => asked.reject(error));
  }

  function settle(id: number, how: (asked: Waiting) => void): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked) how(asked);
  }

  function finish(error: WebfarerError): void {
    over.abort(error);
    welcomed.reject(error);
    for (const asked of waiting.values()) asked.reject(lost(error.message));
    waiting.clear();
    closed.resolve(error);
  }

  async function watch(heartbeatMs: number): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(heartbeatMs, over.signal).catch(() => undefined);
      if (++missed > MISSED_BEATS) socket.terminate();
    }
  }

  clock.sleep(options.patienceMs, over.signal).then(
    () => welcomed.reject(lost(`${options.url} did not answer within ${options.patienceMs} ms`)),
    () => undefined,
  );
  const giveUp = () => welcomed.reject(lost('stopped'));
  options.signal.addEventListener('abort', giveUp, { once: true });
  if (options.signal.aborted) giveUp();
  const welcome = await welcomed.promise
    .catch((error: unknown) => {
      socket.terminate();
      throw error;
    })
    .finally(() => options.signal.removeEventListener('abort', giveUp));
  void watch(welcome.heartbeatMs);

  return {
    welcome,
    closed: closed.promise,
    call(request) {
      if (!socket.open) return Promise.reject(lost('the connection is closed'));
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        send({ ...request, id });
      });
    },
    tell(frame) {
      if (socket.open) send(frame);
    },
    async settled() {
      while (waiting.size > 0 && socket.open) await clock.sleep(10, over.signal).catch(() => undefined);
    },
    cut: () => socket.terminate(),
    leave(reason, failure) {
      if (socket.open) send({ type: 'bye', reason, failure });
      socket.close(linkCloses.bye, 'bye');
    },
  };
}

function lost(message: string): WebfarerError {
  return new WebfarerError('link-lost', message, {
    next: 'Check that a coordinator runs at that address. Nothing is lost; the worker resumes when it is back.',
  });
}

function helloRefused(url: string, { message }: WebfarerError): WebfarerError {
  return new WebfarerError(
    'worker-refused',
    `the coordinator at ${url} does not accept this worker: ${message}`,
    {
      next: "Check the files in the worker's folder (worker.json and worker.key), and that worker and coordinator have the same version.",
    },
  );
}

function reasonOf(end: SocketEnd, url: string, said: WebfarerError | undefined): WebfarerError {
  if (said && said.code !== 'internal') return said;
  if (end.status === 401 || end.status === 403 || end.code === linkCloses.revoked) {
    return new WebfarerError('link-refused', `the coordinator at ${url} does not accept the token`, {
      next: "Pass worker.token from the coordinator's --data folder with --token-file, or set WEBFARER_TOKEN. A token file is read again for each attempt.",
    });
  }
  if (end.code === linkCloses.replaced) {
    return new WebfarerError('worker-refused', 'another process is connected with the id of this worker', {
      next: 'Give each worker its own folder; a copied folder has the same id.',
    });
  }
  return lost(
    `${end.opened ? `the connection to ${url} was lost` : `cannot connect to ${url}`}: ${end.reason}`,
  );
}
