import { crc32, inflateRawSync } from 'node:zlib';
import { memberHeaderBytes, memberTrailerBytes, statedLength } from './member-header.ts';
import { type FrameFormat, wholeFramesEnd } from './whole-end.ts';

const gzipFrames: FrameFormat = {
  lengthAt: (read, at) => statedLength(read(at, memberHeaderBytes)),
  isWhole(member) {
    let plain: Buffer;
    try {
      plain = inflateRawSync(member.subarray(memberHeaderBytes, member.length - memberTrailerBytes));
    } catch {
      return false;
    }
    return (
      crc32(plain) === member.readUInt32LE(member.length - 8) &&
      plain.length >>> 0 === member.readUInt32LE(member.length - 4)
    );
  },
};

/** Where the last whole gzip member of a file of ours ends. */
export async function wholeMembersEnd(path: string): Promise<number> {
  return wholeFramesEnd(path, gzipFrames);
}
