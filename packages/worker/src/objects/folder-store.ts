import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import {
  isTemporaryName,
  makeFolder,
  renameDurably,
  syncFolder,
  writeDurably,
} from '@webfarer/protocol/node';
import type { ByteRange, ObjectStore, StoredObject, Upload, UploadedPart } from './object-store.ts';
import { type Doing, noSuchObject, storeTrouble } from './store-trouble.ts';

/** Beside the objects: what is uploaded in parts. No key begins so. */
const uploadsDir = '.uploads';

/** Objects as files of a folder that every machine of a network reaches, such as a network file system. */
export function folderStore(folder: string): ObjectStore {
  const address = `file://${folder}`;
  const pathOf = (key: string) => join(folder, ...segmentsOf(key));
  const uploadOf = ({ id }: Upload) => join(folder, uploadsDir, ...segmentsOf(id));

  /** A missing file is `otherwise`, anything else is trouble of the store. */
  async function doing<T>(
    verb: Doing['verb'],
    key: string,
    work: () => Promise<T>,
    otherwise: () => T,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise();
      throw storeTrouble({ verb, at: `${address}/${key}` }, (error as Error).message, error);
    }
  }
  const missing = (key: string) => (): never => {
    throw noSuchObject(`${address}/${key}`);
  };

  async function* listFolder(prefix: string): AsyncGenerator<StoredObject> {
    const from = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const entries = await doing(
      'list',
      prefix,
      () => readdir(join(folder, from), { withFileTypes: true, recursive: true }),
      () => [],
    );
    const keys = entries
      .filter((entry) => entry.isFile() && !isTemporaryName(entry.name))
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .split(sep)
          .join('/'),
      )
      .filter((key) => key.startsWith(prefix) && !key.startsWith(`${uploadsDir}/`));
    for (const key of keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      const found = await headOf(key);
      if (found) yield found;
    }
  }

  async function headOf(key: string): Promise<StoredObject | undefined> {
    return await doing(
      'read',
      key,
      async () => {
        const { size, mtimeMs } = await stat(pathOf(key));
        return { key, bytes: size, modifiedAtMs: mtimeMs };
      },
      () => undefined,
    );
  }

  return {
    address,
    put: (key, bytes) =>
      doing(
        'write',
        key,
        async () => {
          await makeFolder(dirname(pathOf(key)));
          await writeDurably(pathOf(key), bytes);
        },
        missing(key),
      ),
    get: (key, range) => doing('read', key, () => readRange(pathOf(key), range), missing(key)),
    head: headOf,
    list: listFolder,
    remove: (key) =>
      doing(
        'remove',
        key,
        () => removeDurably(pathOf(key)),
        () => undefined,
      ),
    async beginUpload(key) {
      const upload = { key, id: randomUUID() };
      await doing(
        'write',
        key,
        async () => {
          await mkdir(uploadOf(upload), { recursive: true });
          await writeFile(join(uploadOf(upload), 'key'), key);
        },
        missing(key),
      );
      return upload;
    },
    putPart: (upload, { number, bytes }) =>
      doing(
        'write',
        upload.key,
        async () => {
          await stat(uploadOf(upload));
          await writeDurably(join(uploadOf(upload), String(number)), bytes);
          return { number, tag: tagOf(bytes) };
        },
        missing(upload.key),
      ),
    completeUpload: (upload, parts) =>
      doing(
        'write',
        upload.key,
        () => joinParts(uploadOf(upload), pathOf(upload.key), parts),
        missing(upload.key),
      ),
    abortUpload: (upload) =>
      doing(
        'remove',
        upload.key,
        () => rm(uploadOf(upload), { recursive: true, force: true }),
        () => undefined,
      ),
    async *uploads(prefix) {
      const ids = await doing(
        'list',
        prefix,
        () => readdir(join(folder, uploadsDir)),
        () => [],
      );
      for (const id of ids.sort()) {
        const at = join(folder, uploadsDir, id, 'key');
        const key = await readFile(at, 'utf8').catch(() => undefined);
        const begun = await stat(at).catch(() => undefined);
        if (key?.startsWith(prefix) && begun) yield { key, id, begunAtMs: begun.mtimeMs };
      }
    },
    close: () => undefined,
  };
}

/** A key is a path of plain names: nothing in it leads out of the folder. */
function segmentsOf(key: string): string[] {
  const segments = key.split('/');
  if (segments.some((name) => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name)))
    throw new Error(`not a key: ${JSON.stringify(key)}`);
  return segments;
}

async function readRange(path: string, { start, end }: ByteRange): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(end, (await handle.stat()).size) - start));
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await handle.close();
  }
}

async function removeDurably(path: string): Promise<void> {
  await rm(path);
  await syncFolder(dirname(path));
}

/** One file of all parts, under its own name only when it is whole. */
async function joinParts(from: string, path: string, parts: readonly UploadedPart[]): Promise<void> {
  const whole = join(from, 'whole');
  const handle = await open(whole, 'w');
  try {
    for (const { number, tag } of parts) {
      const bytes = await readFile(join(from, String(number)));
      if (tagOf(bytes) !== tag) throw new Error(`part ${number} is not the one that was uploaded`);
      await handle.writeFile(bytes);
    }
  } finally {
    await handle.close();
  }
  await makeFolder(dirname(path));
  await renameDurably(whole, path);
  await rm(from, { recursive: true, force: true });
}

function tagOf(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}
