import type { Writable } from 'node:stream';
import { writePiece } from '@webfarer/protocol/node';

const chunkChars = 65_536;

/** Writes lines to a stream at the pace it takes them, and leaves it open. A reader that went away ends it. */
export async function writeOut(
  lines: AsyncIterable<string> | Iterable<string>,
  out: Writable,
): Promise<number> {
  let rows = 0;
  let chunk = '';
  for await (const line of lines) {
    rows += 1;
    chunk += line;
    if (chunk.length < chunkChars) continue;
    await writePiece(out, chunk);
    chunk = '';
  }
  if (chunk !== '') await writePiece(out, chunk);
  return rows;
}
