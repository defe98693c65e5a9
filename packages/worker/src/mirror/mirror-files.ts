import { open, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, moveFile, syncFolder } from '@webfarer/protocol/node';

/** Files of a folder that appear whole or not at all. */
export interface MirrorFiles {
  /** The size of a file; undefined where there is none. */
  size(path: string): Promise<number | undefined>;
  /** All of them are on disk when it resolves. */
  write(files: readonly { path: string; body: Uint8Array }[]): Promise<void>;
  /** A file, and the folders that held nothing else. */
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

const writers = 8;
/** Files that are not whole yet. The name cannot be that of a URL, which never begins with a dot. */
const unfinished = '.partial';

export async function openMirrorFiles(root: string): Promise<MirrorFiles> {
  const partial = join(root, unfinished);
  await rm(partial, { recursive: true, force: true });
  await makeFolder(partial);
  let serial = 0;

  async function writeOne(path: string, body: Uint8Array): Promise<void> {
    const file = join(root, path);
    await makeFolder(dirname(file));
    const fresh = join(partial, String(serial++));
    const handle = await open(fresh, 'wx');
    try {
      await handle.writeFile(body);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await moveFile(fresh, file);
  }

  return {
    size: (path) =>
      stat(join(root, path)).then(
        (found) => (found.isFile() ? found.size : undefined),
        () => undefined,
      ),
    async write(files) {
      const queue = [...files];
      const results = await Promise.allSettled(
        Array.from({ length: Math.min(writers, queue.length) }, async () => {
          for (let file = queue.pop(); file; file = queue.pop()) await writeOne(file.path, file.body);
        }),
      );
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      for (const folder of new Set(files.map(({ path }) => dirname(join(root, path)))))
        await syncFolder(folder);
    },
    async remove(path) {
      await rm(join(root, path), { force: true });
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
        if (!(await isRemoved(join(root, folder)))) return;
    },
    close: () => rm(partial, { recursive: true, force: true }),
  };
}

/** False: something is still in it. */
async function isRemoved(folder: string): Promise<boolean> {
  return await rmdir(folder).then(
    () => true,
    () => false,
  );
}
