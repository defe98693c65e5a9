import type { Clock, Job } from '@webfarer/protocol';
import { errorWithPlace } from './error-place.ts';

/** Characters of an error message of user code that are kept. */
export const mostDetail = 1_000;

/** A user's hook threw or rejected: the URL it was called for fails, and the crawl goes on. */
export class HookError extends Error {
  constructor(hook: string, cause: unknown) {
    super(`${hook}: ${errorWithPlace(cause)}`.slice(0, mostDetail), { cause });
  }
}

/** Calls user code. Whatever it throws, or its promise rejects with, arrives as a `HookError`. */
export function callOwn<Answer>(hook: string, call: () => Answer): Answer {
  try {
    const answer = call();
    if (!isPromise(answer)) return answer;
    // Whatever can be waited for becomes a promise: `then` is user code too.
    return Promise.resolve(answer).then(undefined, (error: unknown) => {
      throw new HookError(hook, error);
    }) as Answer;
  } catch (error) {
    throw new HookError(hook, error);
  }
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    value instanceof Promise || typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
  );
}

interface HandlerTime {
  clock: Pick<Clock, 'sleep'>;
  job: Pick<Job, 'fetch'>;
}

/** Waits for user code as long as a handler may take. After so many seconds `late` says what is thrown. */
export async function withinHandlerTime<Answer>(
  work: Promise<Answer>,
  { clock, job }: HandlerTime,
  late: (seconds: number) => Error,
): Promise<Answer> {
  const limitMs = job.fetch.handlerTimeoutMs;
  const over = new AbortController();
  const tooLate = clock.sleep(limitMs, over.signal).then((): never => {
    throw late(limitMs / 1_000);
  });
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}

/** The same for what a hook has begun. */
export async function hookDone(
  hook: string,
  begun: readonly Promise<unknown>[],
  context: HandlerTime,
): Promise<void> {
  const late = (seconds: number) => new HookError(hook, `not done after ${seconds} s`);
  await withinHandlerTime(Promise.all(begun), context, late);
}

export type Storable = { ok: true; value: unknown } | { ok: false; problem: string };

/** An item in the form in which it is stored: what JSON makes of it. */
export function storable(item: unknown): Storable {
  try {
    if (item === undefined || isPlain(item, mostLevels)) return { ok: true, value: item };
    const text = jsonOf(item);
    if (text !== undefined) return { ok: true, value: JSON.parse(text) as unknown };
    return { ok: false, problem: `an item must be data, not a ${typeof item}` };
  } catch (error) {
    return {
      ok: false,
      problem: `an item cannot be written as JSON: ${errorWithPlace(error)}`.slice(0, mostDetail),
    };
  }
}

/** JSON of data made by user code; undefined where it has no word for it. A promise in it was not waited for. */
export function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, refusePromise) as string | undefined;
}

function refusePromise(name: string, value: unknown): unknown {
  if (!isPromise(value)) return value;
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError(`${name === '' ? 'it' : name} is a promise: await it first`);
}

const mostLevels = 30;

/** JSON represents all of it and runs no user code. */
function isPlain(value: unknown, levels: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) return value.every((one) => isPlain(one, levels - 1));
  const type = Object.getPrototypeOf(value) as unknown;
  if ((type !== Object.prototype && type !== null) || 'toJSON' in value) return false;
  for (const key of Object.keys(value)) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    if (own === undefined || !('value' in own)) return false;
    if (own.value !== undefined && !isPlain(own.value, levels - 1)) return false;
  }
  return true;
}
