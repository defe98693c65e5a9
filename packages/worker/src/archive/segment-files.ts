import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveFile, ArchiveKind } from './archive.ts';

/** A file that is being written to has this behind its name until it is complete. */
const openMark = '.open';

/** Files of one kind in a folder of the crawl, those still written to under the name they will have. */
export async function segmentFiles(
  folder: string,
  dir: string,
  { kind, pattern }: { kind: ArchiveKind; pattern: RegExp },
): Promise<ArchiveFile[]> {
  const found: ArchiveFile[] = [];
  for (const entry of await readdir(join(folder, dir)).catch((): string[] => [])) {
    const isOpen = entry.endsWith(openMark);
    const name = isOpen ? entry.slice(0, -openMark.length) : entry;
    if (name.startsWith('.') || !pattern.test(name)) continue;
    const path = join(folder, dir, entry);
    const size = await sizeOf(path);
    if (size !== undefined)
      found.push({ kind, name: join(dir, name), path, open: path, bytes: size, isOpen });
  }
  return found.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** A file by its name, complete or not. */
export async function segmentFile(
  folder: string,
  name: string,
  kind: ArchiveKind,
): Promise<ArchiveFile | undefined> {
  for (const isOpen of [false, true]) {
    const path = join(folder, isOpen ? `${name}${openMark}` : name);
    const bytes = await sizeOf(path);
    if (bytes !== undefined) return { kind, name, path, open: path, bytes, isOpen };
  }
  return undefined;
}

/** Undefined: it is gone, or was completed under another name meanwhile. */
async function sizeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  );
}
