/** The closed table of errors a person or program can meet. `status` is for the API, `exit` for the shell. */
export const errorCodes = {
  usage: { status: 400, exit: 2, retryable: false, meaning: 'invalid arguments' },
  'job-invalid': {
    status: 400,
    exit: 2,
    retryable: false,
    meaning: 'the job is invalid; the message lists every problem',
  },
  'no-browser': {
    status: 501,
    exit: 2,
    retryable: false,
    meaning: 'the job shows pages in a browser, and this machine has none that can be used',
  },
  'no-such-host': { status: 400, exit: 2, retryable: false, meaning: 'the host of a seed does not exist' },
  'seed-refused': {
    status: 400,
    exit: 2,
    retryable: true,
    meaning: 'every seed refused the connection at the start of the crawl',
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
    meaning: 'the crawl ended, but missed a threshold of the job',
  },
  incomplete: {
    status: 206,
    exit: 7,
    retryable: false,
    meaning:
      'the output is incomplete: the message names the folders that hold the missing results or captures',
  },
  'folder-busy': {
    status: 409,
    exit: 2,
    retryable: true,
    meaning: 'another process uses the crawl folder',
  },
  'folder-foreign': {
    status: 409,
    exit: 2,
    retryable: false,
    meaning: 'the folder holds something other than this crawl',
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
    meaning: 'a crawl of more than one registered domain needs a contact',
  },
  'not-found': { status: 404, exit: 2, retryable: false, meaning: 'there is no such crawl, record or file' },
  storage: {
    status: 507,
    exit: 6,
    retryable: true,
    meaning: 'the disk is full or cannot be written; resumable',
  },
  'object-storage': {
    status: 507,
    exit: 6,
    retryable: true,
    meaning: 'the object storage that a crawl saves to fails; resumable',
  },
  'min-free': {
    status: 507,
    exit: 6,
    retryable: true,
    meaning: 'the disk of a worker has less free space than limits.minFree of the crawl',
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
    meaning: 'the server cannot hold crawls, or its user lacks the rights that a crawl needs',
  },
  'epoch-changed': {
    status: 409,
    exit: 6,
    retryable: true,
    meaning: 'a report omits links that the store may no longer know; the worker resends it with all of them',
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
  'worker-refused': {
    status: 403,
    exit: 2,
    retryable: false,
    meaning: 'the coordinator does not accept this worker, whatever its token',
  },
  'log-in-refused': {
    status: 403,
    exit: 2,
    retryable: false,
    meaning: 'the log-in failed, or the user has no access',
  },
  'issuer-silent': {
    status: 503,
    exit: 6,
    retryable: true,
    meaning: 'the OpenID provider does not answer; tokens are accepted as before',
  },
  forbidden: {
    status: 403,
    exit: 2,
    retryable: false,
    meaning: 'the token does not permit the request, or a browser sent it from another site',
  },
  conflict: {
    status: 409,
    exit: 2,
    retryable: false,
    meaning: 'what was asked for does not fit the state of the crawl or document',
  },
  quota: {
    status: 429,
    exit: 2,
    retryable: true,
    meaning: 'the team has used up a quota',
  },
  'too-often': {
    status: 429,
    exit: 6,
    retryable: true,
    meaning: 'the same was asked for too often; the message says when to retry',
  },
  'method-refused': {
    status: 405,
    exit: 2,
    retryable: false,
    meaning: 'the API does not offer this method at this path',
  },
  'too-large': { status: 413, exit: 2, retryable: false, meaning: 'the body of the request is too large' },
  'head-too-large': {
    status: 431,
    exit: 2,
    retryable: false,
    meaning: 'the path and headers of the request are too long',
  },
  'too-slow': { status: 408, exit: 2, retryable: true, meaning: 'the request did not arrive in time' },
  'type-refused': {
    status: 415,
    exit: 2,
    retryable: false,
    meaning: 'the API does not read bodies of this content type',
  },
  busy: {
    status: 503,
    exit: 6,
    retryable: true,
    meaning: 'the coordinator serves as many clients as it can',
  },
  starting: { status: 503, exit: 6, retryable: true, meaning: 'the coordinator is starting up' },
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
    meaning: 'malformed frame on the link',
  },
  'frame-limit': {
    status: 429,
    exit: 1,
    retryable: true,
    meaning: 'a limit of the link was exceeded: too large, too many or too often',
  },
  'blocks-worker': {
    status: 503,
    exit: 1,
    retryable: true,
    meaning:
      'a worker has paused a crawl for a while because its pages blocked the event loop; others continue',
  },
  interrupted: {
    status: 499,
    exit: 130,
    retryable: true,
    meaning: 'interrupted by the user or the system; resumable',
  },
  internal: { status: 500, exit: 1, retryable: false, meaning: 'a bug in Webfarer' },
} as const;
export type ErrorCode = keyof typeof errorCodes;

const passing: ReadonlySet<ErrorCode> = new Set(['storage', 'object-storage', 'store-silent', 'link-lost']);

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
