/** The closed table of errors a person or program can meet. `status` is for the API, `exit` for the shell. */
export const errorCodes = {
  usage: { status: 400, exit: 2, retryable: false, meaning: 'the command or call is not used as it can be' },
  'job-invalid': {
    status: 400,
    exit: 2,
    retryable: false,
    meaning: 'the job is not valid; each problem is named',
  },
  'no-such-host': { status: 400, exit: 2, retryable: false, meaning: 'the host of a seed does not exist' },
  'seed-refused': {
    status: 400,
    exit: 2,
    retryable: true,
    meaning: 'every seed refused the connection when the crawl was to begin',
  },
  'nothing-allowed': {
    status: 403,
    exit: 3,
    retryable: false,
    meaning: 'robots.txt allows none of the seeds',
  },
  'threshold-missed': {
    status: 200,
    exit: 4,
    retryable: false,
    meaning: 'the crawl ended, but a threshold of the job does not hold',
  },
  incomplete: {
    status: 206,
    exit: 7,
    retryable: false,
    meaning: 'written, but not all of it: results or captures are in other folders, and are named',
  },
  'folder-busy': {
    status: 409,
    exit: 2,
    retryable: true,
    meaning: 'another process works in the crawl folder',
  },
  'folder-foreign': {
    status: 409,
    exit: 2,
    retryable: false,
    meaning: 'the folder holds something else than this crawl',
  },
  'folder-damaged': {
    status: 500,
    exit: 6,
    retryable: false,
    meaning: 'the database of the crawl folder is damaged or missing',
  },
  'scope-changed': {
    status: 409,
    exit: 2,
    retryable: false,
    meaning: 'the folder holds the same crawl with another scope',
  },
  'contact-missing': {
    status: 400,
    exit: 2,
    retryable: false,
    meaning: 'a crawl beyond one registered domain needs a contact',
  },
  'not-found': { status: 404, exit: 2, retryable: false, meaning: 'there is no such crawl, record or file' },
  storage: {
    status: 507,
    exit: 6,
    retryable: true,
    meaning: 'the disk is full or cannot be written; resumable',
  },
  'store-silent': {
    status: 503,
    exit: 6,
    retryable: true,
    meaning: 'the shared store does not answer; resumable',
  },
  'store-denied': {
    status: 403,
    exit: 2,
    retryable: false,
    meaning: 'the address leads to a server that keeps no crawls, or its user may not do what a crawl needs',
  },
  'epoch-changed': {
    status: 409,
    exit: 6,
    retryable: true,
    meaning:
      'a report leaves out links that the store may no longer know; the worker sends it again with all of them',
  },
  'cursor-stale': {
    status: 410,
    exit: 2,
    retryable: false,
    meaning:
      'a cursor of results belongs to another crawl, or the store has lost what was read; read from the start',
  },
  'link-refused': {
    status: 401,
    exit: 2,
    retryable: false,
    meaning: 'the coordinator does not accept the token',
  },
  'link-version': {
    status: 426,
    exit: 2,
    retryable: false,
    meaning: 'worker and coordinator do not speak the same version of the link',
  },
  'link-lost': {
    status: 503,
    exit: 6,
    retryable: true,
    meaning: 'no coordinator can be reached; resumable',
  },
  'frame-invalid': {
    status: 400,
    exit: 1,
    retryable: false,
    meaning: 'a frame of the link is not as it must be',
  },
  'frame-limit': {
    status: 429,
    exit: 1,
    retryable: true,
    meaning: 'more than the link carries: too large, too many or too often',
  },
  interrupted: {
    status: 499,
    exit: 130,
    retryable: true,
    meaning: 'stopped by the person or the system; resumable',
  },
  internal: { status: 500, exit: 1, retryable: false, meaning: 'a defect of ours' },
} as const;
export type ErrorCode = keyof typeof errorCodes;

const passing: ReadonlySet<ErrorCode> = new Set(['storage', 'store-silent', 'link-lost']);

/** Whether what is stored could not be changed now: nothing was, and the same may work later. */
export function isStorageTrouble(error: unknown): boolean {
  return error instanceof WebfarerError && passing.has(error.code);
}

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
