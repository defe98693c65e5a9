import { ByteWindow } from '../bytes/byte-window.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';
import { packingOf } from './packings.ts';
import { isZeros, paddedSize, readTarHeader, tarBlock } from './tar-header.ts';

/** One file of a tar archive that a crawl has written. */
export interface TarCapture {
  name: string;
  url: string;
  modifiedMs: number;
  body: Buffer;
  /** Of its entry in the archive, compressed as it is there. */
  offset: number;
  length: number;
}

/** The files of a tar archive of ours, from an offset on. Throws at the first thing that is otherwise. */
export async function* readTar({ name, path }: TarPath, from = 0): AsyncGenerator<TarCapture> {
  const { nextEntry } = packingOf(name);
  const window = await ByteWindow.open(path, from);
  try {
    while (window.position < window.end) {
      const offset = window.position;
      const entry = await nextEntry(window);
      if (entry !== undefined && (entry.length === 0 || isFiller(entry))) continue;
      if (entry === undefined || isZeros(entry)) return;
      yield { ...parseEntry(entry, offset), offset, length: window.position - offset };
    }
  } finally {
    await window.close();
  }
}

/** Where an archive lies, and its final name, which says how it is compressed. */
interface TarPath {
  name: string;
  path: string;
}

function parseEntry(entry: Buffer, offset: number): Pick<TarCapture, 'name' | 'url' | 'modifiedMs' | 'body'> {
  const pax = new Map<string, string>();
  for (let at = 0; ; ) {
    const block = entry.subarray(at, at + tarBlock);
    const header = readTarHeader(block);
    const start = at + tarBlock;
    if (!header || start + header.size > entry.length) throw new WarcProblem(offset, 'malformed tar entry');
    const content = entry.subarray(start, start + header.size);
    at = start + paddedSize(header.size);
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

/** In the place of an entry that was erased: see erase/erase-tar.ts. */
const isFiller = (entry: Buffer): boolean => entry[156] === 'g'.charCodeAt(0);
