import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders inside the crawl folder. */
const places = ['archive', 'files', 'markdown', 'mirror'] as const;

export interface DiskUse {
  place: (typeof places)[number];
  files: number;
  bytes: number;
}

/** How much of the disk the saved pages of a crawl take, with their indexes; places that hold nothing are left out. */
export async function diskUse(folder: string): Promise<DiskUse[]> {
  const uses: DiskUse[] = [];
  for (const place of places) {
    const use = { place, files: 0, bytes: 0 };
    const found = await readdir(join(folder, place), { withFileTypes: true, recursive: true }).catch(
      () => [],
    );
    for (const entry of found) {
      if (!entry.isFile()) continue;
      use.files++;
      use.bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
    }
    if (use.files > 0) uses.push(use);
  }
  return uses;
}
