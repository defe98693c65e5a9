import { WebfarerError } from '@webfarer/protocol';

const words: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports an error',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EFBIG: 'the file is larger than the file system allows',
};

/** What a file operation threw, as the error that pauses a crawl. Anything else comes back as it is. */
export function storageError(cause: unknown, doing: string): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  const code = (cause as NodeJS.ErrnoException).code;
  if (cause instanceof WebfarerError || !code || !/^E[A-Z0-9]+$/.test(code)) return cause;
  const why = words[code] ?? cause.message;
  return new WebfarerError('storage', `${doing}: ${why}`, {
    cause,
    next: 'Free space or fix the disk; nothing committed is lost and the crawl can be resumed.',
  });
}
