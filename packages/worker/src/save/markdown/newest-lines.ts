import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The lines that end the newest files of a folder, whichever process wrote them, as far as `maxBytes` go. The first
 * line of a file that is not read from its beginning is left out.
 */
export async function* newestLines(
  folder: string,
  { maxBytes }: { maxBytes: number },
): AsyncGenerator<string> {
  let left = maxBytes;
  for (const path of await newestFirst(folder)) {
    if (left <= 0) return;
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, left));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      left -= bytes.length;
      const lines = bytes.toString('utf8').split('\n');
      if (bytes.length < size) lines.shift();
      yield* lines;
    } finally {
      await file.close();
    }
  }
}

async function newestFirst(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.jsonl(?:\.open)?$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  return files.toSorted((a, b) => b.at - a.at).map(({ path }) => path);
}
