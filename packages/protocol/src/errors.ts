/** The closed table of errors a person or program can meet. `status` is for the API, `exit` for the shell. */
export const errorCodes = {
  usage: { status: 400, exit: 2, retryable: false },
  'job-invalid': { status: 400, exit: 2, retryable: false },
  'no-such-host': { status: 400, exit: 2, retryable: false },
  'nothing-allowed': { status: 403, exit: 3, retryable: false },
  'threshold-missed': { status: 200, exit: 4, retryable: false },
  'folder-busy': { status: 409, exit: 2, retryable: true },
  'folder-foreign': { status: 409, exit: 2, retryable: false },
  'scope-changed': { status: 409, exit: 2, retryable: false },
  'contact-missing': { status: 400, exit: 2, retryable: false },
  'not-found': { status: 404, exit: 2, retryable: false },
  storage: { status: 507, exit: 6, retryable: true },
  interrupted: { status: 499, exit: 130, retryable: true },
  internal: { status: 500, exit: 1, retryable: false },
} as const;
export type ErrorCode = keyof typeof errorCodes;

/** The one error class. `next` says what the person can do now. */
export class WebfarerError extends Error {
  readonly code: ErrorCode;
  readonly next: string | undefined;
  constructor(code: ErrorCode, message: string, options: { next?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WebfarerError';
    this.code = code;
    this.next = options.next;
  }
}
