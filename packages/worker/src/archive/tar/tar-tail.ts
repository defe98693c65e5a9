import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readTarHeader, tarBlock } from './tar-header.ts';

/** Where the last whole entry of a plain tar ends: a pax header counts only together with its file. */
export async function wholeEntriesEnd(path: string): Promise<number> {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const block = Buffer.alloc(tarBlock);
    let end = 0;
    for (let at = 0; ; ) {
      const header = readTarHeader(block.subarray(0, readSync(fd, block, 0, tarBlock, at)));
      if (!header) return end;
      at += tarBlock + Math.ceil(header.size / tarBlock) * tarBlock;
      if (at > size) return end;
      if (!header.extended) end = at;
    }
  } finally {
    closeSync(fd);
  }
}
