import { type ErrorCode, errorCodes, WebfarerError } from '@webfarer/protocol';

/** What carries messages to another process: in order, each whole or not at all. */
export interface Port {
  /** Does nothing once the port is closed. */
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, after the last message. */
  onClose(listener: () => void): void;
}

/** What one side can be asked: functions of at most one argument, answered in any order. */
// oxlint-disable-next-line typescript/no-explicit-any -- the argument of each is its own; `call` checks it
export type Calls = Record<string, (body: any) => unknown>;

export interface Wire<Other extends { [name in keyof Other]: Calls[string] }> {
  /** Rejects with what the other side threw, or `interrupted` when it is gone before it answered. */
  call<Name extends keyof Other & string>(
    name: Name,
    ...body: Parameters<Other[Name]>
  ): Promise<Awaited<ReturnType<Other[Name]>>>;
  /** The same, where no answer is wanted. */
  tell<Name extends keyof Other & string>(name: Name, ...body: Parameters<Other[Name]>): void;
  readonly closed: Promise<void>;
}

type Message =
  | { call: string; body: unknown; id?: number }
  | { id: number; value: unknown }
  | { id: number; error: SentError };

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/** Joins two processes: each may ask the other what its `calls` answer. */
export function createWire<Other extends { [name in keyof Other]: Calls[string] }>(
  port: Port,
  calls: Calls,
): Wire<Other> {
  const waiting = new Map<number, Waiting>();
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  let lastId = 0;

  async function answer({ call, body, id }: Extract<Message, { call: string }>): Promise<void> {
    try {
      const value = await calls[call]?.(body);
      if (id !== undefined) port.send({ id, value });
    } catch (error) {
      if (id !== undefined) port.send({ id, error: sentError(error) });
    }
  }

  port.onMessage((received) => {
    const message = received as Message;
    if ('call' in message) return void answer(message);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) asked?.reject(receivedError(message.error));
    else asked?.resolve(message.value as never);
  });
  port.onClose(() => {
    isClosed = true;
    for (const asked of waiting.values()) asked.reject(gone());
    waiting.clear();
    closed.resolve();
  });

  return {
    closed: closed.promise,
    call(name, ...[body]) {
      if (isClosed) return Promise.reject(gone());
      return new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        port.send({ call: name, body, id });
      });
    },
    tell(name, ...[body]) {
      port.send({ call: name, body });
    },
  };
}

function gone(): WebfarerError {
  return new WebfarerError('interrupted', 'the other process is gone');
}

/** Errors lose their class on the way, so what matters of them is sent: above all what may be tried again. */
export interface SentError {
  message: string;
  code?: ErrorCode;
  next?: string;
  stack?: string;
}

export function sentError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const sent: SentError = { message, ...(stack === undefined ? {} : { stack }) };
  if (!(error instanceof WebfarerError)) return sent;
  return { ...sent, code: error.code, ...(error.next === undefined ? {} : { next: error.next }) };
}

export function receivedError({ message, code, next, stack }: SentError): Error {
  const error =
    code !== undefined && code in errorCodes
      ? new WebfarerError(code, message, next === undefined ? {} : { next })
      : new Error(message);
  // Where it happened over there says more than where it was received.
  if (stack !== undefined) error.stack = stack;
  return error;
}
