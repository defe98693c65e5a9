import { type ErrorCode, errorCodes, WebfarerError } from '../base/errors.ts';

/** An error as a frame carries it: what it says, and above all whether it may be tried again. */
export interface SentFailure {
  code: ErrorCode;
  message: string;
  next?: string | undefined;
  /** Where it happened over there says more than where it was received. */
  stack?: string | undefined;
}

export function sendFailure(error: unknown): SentFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof WebfarerError ? { code: error.code, next: error.next } : undefined;
  return { code: 'internal', ...known, message, stack };
}

export function receiveFailure({ code, message, next, stack }: SentFailure): WebfarerError {
  const known = code in errorCodes ? code : 'internal';
  const error = new WebfarerError(known, message, next === undefined ? {} : { next });
  if (stack !== undefined) error.stack = stack;
  return error;
}
