import { WebfarerError } from '@webfarer/protocol';

/** What a full or locked disk throws, by the code of Node, and what it means. */
const meanings: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
};

/** A folder that cannot be written is no bug, and its path is not for everybody. Anything else comes back as it is. */
export function asDiskTrouble(thrown: unknown): unknown {
  const meaning = meanings[String((thrown as { code?: unknown } | undefined)?.code)];
  if (meaning === undefined || thrown instanceof WebfarerError) return thrown;
  return new WebfarerError('storage', `${meaning} where the coordinator keeps its files`, {
    next: 'Free some space on the machine of the coordinator, then try again. Nothing committed is lost.',
    cause: thrown,
  });
}

/** For the end of a promise. */
export function throwDiskTrouble(thrown: unknown): never {
  throw asDiskTrouble(thrown);
}
