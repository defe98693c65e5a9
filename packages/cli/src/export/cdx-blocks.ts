import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';

const linesPerBlock = 1_000;

/**
 * Sorted index lines as gzip members of some lines each, and a second index of the first line of each:
 * a reader looks into the small one and unpacks one block. Answers the small one.
 */
export async function packIndex(sorted: string, packed: string, name: string): Promise<Buffer> {
  const rows = [`!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename: name })}`];
  let offset = 0;
  async function* members(): AsyncGenerator<Buffer> {
    for await (const lines of blocksOf(sorted)) {
      const member = gzipSync(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
      const [surt = '', stamp = ''] = (lines[0] ?? '').split(' ', 2);
      const digest = `sha256:${createHash('sha256').update(member).digest('hex')}`;
      rows.push(
        `${surt} ${stamp} ${JSON.stringify({ offset, length: member.length, digest, filename: name })}`,
      );
      offset += member.length;
      yield member;
    }
  }
  await pipeline(Readable.from(members()), createWriteStream(packed));
  return Buffer.from(`${rows.join('\n')}\n`, 'latin1');
}

async function* blocksOf(file: string): AsyncGenerator<string[]> {
  let block: string[] = [];
  const lines = createInterface({
    input: createReadStream(file, 'latin1'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    block.push(line);
    if (block.length < linesPerBlock) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}
