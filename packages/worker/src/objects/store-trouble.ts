import { WebfarerError } from '@webfarer/protocol';

/** What was being done, and where. */
export interface Doing {
  verb: 'read' | 'write' | 'list' | 'remove';
  /** `s3://bucket/key` */
  at: string;
}

const next = 'Check the object storage and its credentials. Nothing is lost; the crawl resumes by itself.';

/** The error that pauses a crawl until the store can be used again. */
export function storeTrouble({ verb, at }: Doing, why: string, cause?: unknown): WebfarerError {
  return new WebfarerError('object-storage', `cannot ${verb} ${at}: ${why}`, {
    next,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function noSuchObject(at: string): WebfarerError {
  return new WebfarerError('not-found', `There is no object ${at}.`, {
    next: 'Check the address, and whether the object was removed.',
  });
}
