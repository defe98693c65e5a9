import type { CheckArchive } from '@webfarer/coordinator/server';
import { validateWarc } from '@webfarer/worker/archive';

const blockBytes = 256 * 1024;

/** The same check as `webfarer warc validate`, a step at a time. */
export const checkArchive: CheckArchive = async (file, range) => {
  const open = () =>
    Promise.resolve({
      bytes: file.bytes,
      blockBytes,
      read: (start: number, length: number) => file.readAt(start, length),
      // The request that opened it closes it.
      close: () => Promise.resolve(),
    });
  const { records, digests, problems, soundUntil } = await validateWarc(open, range);
  return { records, digests, problems, soundUntil };
};
