import { statfs } from 'node:fs/promises';
import type { DiskUse } from '../../resources/resource-frame.ts';

/** The disks of some folders as they were lately. Never waits: a disk that does not respond keeps its last figures. */
export interface DiskWatch {
  look(nowMs: number): DiskUse[];
}

/** Free space changes slowly, and a network disk may take long to tell. */
const EVERY_MS = 10_000;

export function watchDisks(folders: () => readonly string[]): DiskWatch {
  const known = new Map<string, DiskUse>();
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking = false;

  async function ask(): Promise<void> {
    asking = true;
    const wanted = [...new Set(folders())];
    for (const folder of known.keys()) if (!wanted.includes(folder)) known.delete(folder);
    for (const folder of wanted) {
      const found = await statfs(folder).catch(() => undefined);
      if (!found) continue;
      const totalBytes = found.blocks * found.bsize;
      known.set(folder, { folder, totalBytes, freeBytes: found.bavail * found.bsize });
    }
    asking = false;
  }

  return {
    look(nowMs) {
      if (!asking && nowMs >= askedAtMs + EVERY_MS) {
        askedAtMs = nowMs;
        void ask();
      }
      return [...known.values()];
    },
  };
}
