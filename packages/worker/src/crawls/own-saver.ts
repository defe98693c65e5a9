import { isStorageTrouble, type SavedAt, WebfarerError } from '@webfarer/protocol';
import { errorWithPlace } from '../page/error-place.ts';
import { callOwn, HookError } from '../page/own-code.ts';
import type { Saver } from '../save/saver.ts';

/**
 * A saver that a user wrote. What it throws for a capture fails that page. What it throws when all must be durable pauses the crawl, as
 * a full disk does: nothing counts that might be lost. A crawl ends with an error where a saver cannot be closed.
 */
export function guardedSaver(saver: Saver): Saver {
  const { name } = saver;
  const storage = (verb: string, error: unknown): WebfarerError =>
    isStorage(error)
      ? error
      : new WebfarerError('storage', `${verb} of the saver ${name}: ${errorWithPlace(error)}`, {
          cause: error,
        });
  return {
    name,
    start: () => saver.start(),
    async save(capture) {
      let stored = false;
      try {
        const at: unknown = await saver.save(capture);
        stored = true;
        return callOwn(`saver ${name}`, () => placeOf(at));
      } catch (error) {
        throw stored || isStorage(error) ? error : new HookError(`saver ${name}`, error);
      }
    },
    async sync() {
      try {
        await saver.sync();
      } catch (error) {
        throw storage('sync', error);
      }
    },
    async stop() {
      try {
        await saver.stop();
      } catch (error) {
        throw storage('stop', error);
      }
    },
    written() {
      try {
        const { files, bytes } = saver.written();
        return { files: count(files), bytes: count(bytes) };
      } catch {
        return { files: 0, bytes: 0 };
      }
    },
  };
}

/** Asked of whatever was thrown, which may be made to throw again. */
function isStorage(error: unknown): error is WebfarerError {
  try {
    return isStorageTrouble(error);
  } catch {
    return false;
  }
}

const count = (value: unknown): number => (Number.isFinite(value) ? (value as number) : 0);

/** Its own words for where a capture is, and nothing else it may have put beside them. */
function placeOf(at: unknown): SavedAt | undefined {
  if (at === undefined || at === null) return undefined;
  if (typeof at !== 'object')
    throw new TypeError(`save returned ${typeof at}; it must return where the capture is`);
  const { saver, file, offset, length } = at as Partial<SavedAt>;
  if (typeof saver !== 'string' || typeof file !== 'string')
    throw new TypeError('save returned a place without the texts saver and file');
  return {
    saver,
    file,
    ...(isPosition(offset) ? { offset } : {}),
    ...(isPosition(length) ? { length } : {}),
  };
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
