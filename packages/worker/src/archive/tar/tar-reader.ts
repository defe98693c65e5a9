import { ByteWindow } from '../bytes/byte-window.ts';
import { inflateMember } from '../bytes/gzip-reader.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';
import { readTarHeader, tarBlock } from './tar-header.ts';

/** One file of a tar archive that a crawl has written. */
export interface TarCapture {
  name: string;
  url: string;
  modifiedMs: number;
  body: Buffer;
  /** Of its entry, or of the gzip member that holds it, in the archive. */
  offset: number;
  length: number;
}

/** The files of a tar archive of ours, plain or with a gzip member for each. Throws at the first thing that is otherwise. */
export async function* readTar(path: string, from = 0): AsyncGenerator<TarCapture> {
  const window = await ByteWindow.open(path, from);
  try {
    const isPacked = (await window.see(2)).subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]));
    while (window.position < window.end) {
      const offset = window.position;
      const entry = isPacked ? await inflated(window) : await plainEntry(window);
      if (entry === undefined || isEnd(entry)) return;
      yield { ...parseEntry(entry, offset), offset, length: window.position - offset };
    }
  } finally {
    await window.close();
  }
}

async function inflated(window: ByteWindow): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of inflateMember(window)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The bytes of the next file with the pax header before it; undefined at the end of the archive. */
async function plainEntry(window: ByteWindow): Promise<Buffer | undefined> {
  const offset = window.position;
  const seen = async (bytes: number): Promise<Buffer> => {
    const found = await window.see(bytes);
    if (found.length < bytes) throw new WarcProblem(offset, 'the file ends within an entry', true);
    return found;
  };
  for (let at = 0; ; ) {
    const block = (await seen(at + tarBlock)).subarray(at, at + tarBlock);
    if (isEnd(block)) return undefined;
    const header = readTarHeader(block);
    if (!header) throw new WarcProblem(offset + at, 'there is no tar header here');
    at += tarBlock + padded(header.size);
    if (header.extended) continue;
    const entry = (await seen(at)).subarray(0, at);
    window.skip(at);
    return entry;
  }
}

function parseEntry(entry: Buffer, offset: number): Pick<TarCapture, 'name' | 'url' | 'modifiedMs' | 'body'> {
  const pax = new Map<string, string>();
  for (let at = 0; ; ) {
    const block = entry.subarray(at, at + tarBlock);
    const header = readTarHeader(block);
    const start = at + tarBlock;
    if (!header || start + header.size > entry.length) throw new WarcProblem(offset, 'malformed tar entry');
    const content = entry.subarray(start, start + header.size);
    at = start + padded(header.size);
    if (header.extended) {
      for (const [key, value] of paxRecords(content)) pax.set(key, value);
      continue;
    }
    const name = pax.get('path') ?? block.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    const modifiedMs = Number.parseInt(block.toString('latin1', 136, 147), 8) * 1_000;
    return { name, url: pax.get('comment') ?? '', modifiedMs, body: content };
  }
}

/** `LENGTH KEY=VALUE\n`, again and again; the length counts bytes, its own digits among them. */
function* paxRecords(content: Buffer): Generator<[string, string]> {
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', at, at + 11), 10);
    if (!(length > 0)) return;
    const [, key = '', value = ''] =
      /^\d+ ([^=]*)=(.*)\n$/s.exec(content.toString('utf8', at, at + length)) ?? [];
    yield [key, value];
    at += length;
  }
}

const padded = (size: number): number => Math.ceil(size / tarBlock) * tarBlock;
const isEnd = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
