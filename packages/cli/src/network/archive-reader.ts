import type { ArchiveReader } from '@webfarer/coordinator/server';
import { WebfarerError } from '@webfarer/protocol';
import { catWarc, validateWarc, WarcProblem } from '@webfarer/worker/archive';

const blockBytes = 256 * 1024;

type Bytes = Parameters<ArchiveReader['check']>[0];

/** An open file of the coordinator as the archive's code reads it. */
const sourceOf = (file: Bytes) => () =>
  Promise.resolve({
    bytes: file.bytes,
    blockBytes,
    read: (start: number, length: number) => file.readAt(start, length),
    // The request that opened it closes it.
    close: () => Promise.resolve(),
  });

/** The same check as `webfarer warc validate`, a step at a time, and the same bodies as `webfarer warc cat`. */
export const archiveReader: ArchiveReader = {
  async check(file, range) {
    const { records, digests, problems, soundUntil } = await validateWarc(sourceOf(file), range);
    return { records, digests, problems, soundUntil };
  },
  async body(file, { offset, maxBytes }) {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of catWarc({ file: sourceOf(file), part: 'body', offset, maxBytes }))
        pieces.push(piece);
    } catch (error) {
      if (!(error instanceof WarcProblem)) throw error;
      throw new WebfarerError('not-found', `no capture can be read at byte ${offset}: ${error.message}`);
    }
    return Buffer.concat(pieces);
  },
};
