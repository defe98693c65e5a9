import { storageError } from '@webfarer/worker/storage-error';

/** A full disk, in words and as the error that is waited out. */
export function notWritten(error: unknown): never {
  throw storageError(error, 'the files of the crawl cannot be written');
}
