import type { ByteWindow } from '../bytes/byte-window.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';
import { isZeros, paddedSize, readTarHeader, tarBlock } from './tar-header.ts';

/** The bytes of the next file with the pax header before it; undefined at the end of the archive. */
export async function plainEntry(window: ByteWindow): Promise<Buffer | undefined> {
  const offset = window.position;
  const seen = async (bytes: number): Promise<Buffer> => {
    const found = await window.see(bytes);
    if (found.length < bytes) throw new WarcProblem(offset, 'the file ends within an entry', true);
    return found;
  };
  for (let at = 0; ; ) {
    const block = (await seen(at + tarBlock)).subarray(at, at + tarBlock);
    if (isZeros(block)) return undefined;
    const header = readTarHeader(block);
    if (!header) throw new WarcProblem(offset + at, 'there is no tar header here');
    at += tarBlock + paddedSize(header.size);
    if (header.extended) continue;
    const entry = (await seen(at)).subarray(0, at);
    window.skip(at);
    return entry;
  }
}
