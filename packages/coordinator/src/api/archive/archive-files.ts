import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';

export interface ArchiveFile {
  /** Below the folder of the crawl, with slashes. */
  path: string;
  bytes: number;
  changedAtMs: number;
}

export interface OpenFile {
  bytes: number;
  etag: string;
  /** From one byte to another, both included; closes the file. */
  read(first: number, last: number): AsyncGenerator<Uint8Array, void, void>;
  /** From one byte on, at most so many; fewer at the end. The file stays open. */
  readAt(first: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** What a crawl writes for people: never its databases, locks, tokens or job. */
const outputs = new Set(['results.jsonl', 'items.jsonl', 'item-changes.jsonl', 'report.html']);
const saved = ['archive', 'files', 'markdown'];
const pieceBytes = 65_536;

/** Whether a file may be listed and read, by its path alone. */
function isOffered(path: string): boolean {
  if (outputs.has(path)) return true;
  const [place = '', ...rest] = path.split('/');
  const isPlain = (name: string) =>
    name !== '' && !name.startsWith('.') && !name.includes('\\') && !name.includes('\0');
  return saved.includes(place) && rest.length > 0 && rest.every(isPlain);
}

/** The files of a crawl folder, by their paths. Links are left out, wherever they lead. */
export async function filesIn(folder: string): Promise<ArchiveFile[]> {
  const found: ArchiveFile[] = [];
  const add = async (path: string) => {
    const about = await lstat(join(folder, path)).catch(() => undefined);
    if (about?.isFile()) found.push({ path, bytes: about.size, changedAtMs: Math.round(about.mtimeMs) });
  };
  for (const name of outputs) await add(name);
  for (const place of saved) {
    const top = await lstat(join(folder, place)).catch(() => undefined);
    if (!top?.isDirectory()) continue;
    for (const entry of await readdir(join(folder, place), { withFileTypes: true, recursive: true })) {
      const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
      if (entry.isFile() && isOffered(path)) await add(path);
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file that is being written to has this behind its name; records name it as it will be called. */
const openMark = '.open';

/**
 * Opens one of the files that are listed, also by the name that one still being written to will have; anything else is not
 * found, whether it exists or not.
 */
export async function openFile(folder: string, path: string): Promise<OpenFile> {
  if (!isOffered(path)) throw notListed(path);
  const target = join(folder, ...path.split('/'));
  try {
    // No folder on the way is a link either.
    const home = join(await realpath(folder), ...path.split('/'));
    if ((await realpath(dirname(target))) !== dirname(home)) throw notListed(path);
  } catch {
    throw notListed(path);
  }
  // A file that is completed between the two looks is there at the third.
  const handle = (await opened(target)) ?? (await opened(target + openMark)) ?? (await opened(target));
  const about = await handle?.stat();
  if (!handle || !about?.isFile()) {
    await handle?.close();
    throw notListed(path);
  }
  return {
    bytes: about.size,
    etag: `"${about.size.toString(36)}-${Math.round(about.mtimeMs).toString(36)}"`,
    close: () => handle.close(),
    async readAt(first, length) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, first);
      return buffer.subarray(0, bytesRead);
    },
    async *read(first, last) {
      try {
        for (let at = first; at <= last; ) {
          const length = Math.min(pieceBytes, last - at + 1);
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
          if (bytesRead === 0) throw new Error('the file became shorter while it was read');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
  };
}

const opened = (path: string) =>
  open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);

function notListed(path: string): WebfarerError {
  return new WebfarerError('not-found', `the crawl lists no file ${JSON.stringify(path.slice(0, 200))}`, {
    next: 'GET /v1/crawls/ID/files lists its files.',
  });
}
