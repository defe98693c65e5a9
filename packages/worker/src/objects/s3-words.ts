/** As much of an error of the S3 client as we read. */
interface S3Trouble {
  name?: string;
  message?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/** No such object or upload; a bucket that is missing is another matter. */
export function isMissing(error: unknown): boolean {
  return missing.has((error as S3Trouble).name ?? '');
}

const byName: Record<string, string> = {
  NoSuchBucket: 'the bucket does not exist',
  AccessDenied: 'access is denied',
  InvalidAccessKeyId: 'the access key is unknown there',
  SignatureDoesNotMatch: 'the secret key is wrong',
  ExpiredToken: 'the credentials have expired',
  CredentialsProviderError: 'this machine has no credentials for it',
  QuotaExceeded: 'it is full',
  InsufficientStorage: 'it is full',
  XMinioStorageFull: 'it is full',
  BadDigest: 'the bytes were damaged on their way',
  TimeoutError: 'it did not respond in time',
};
const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
const fullStatus = 507;

/** Why a request failed, in a few words. */
export function wordsFor(error: unknown): string {
  const { name = '', message = '', code = '', $metadata } = error as S3Trouble;
  const known = byName[name];
  if (known !== undefined) return known;
  if (unreachable.has(code)) return `it is unreachable (${code})`;
  const status = $metadata?.httpStatusCode;
  if (status === fullStatus) return 'it is full';
  if (status !== undefined && status >= 400) return `it answered ${status} ${name}`;
  return message === '' ? name : message;
}
