import { once } from 'node:events';
import type { Writable } from 'node:stream';

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
    await write(out, chunk);
    chunk = '';
  }
  await write(out, chunk);
  return rows;
}

async function write(out: Writable, chunk: string): Promise<void> {
  if (chunk === '') return;
  if (out.errored) throw out.errored;
  if (!out.write(chunk)) await once(out, 'drain');
}
