import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** A file or folder that was forced to the disk. */
export interface Synced {
  path: string;
  /** What the file held at that moment; undefined for a folder. */
  content: string | undefined;
}

/**
 * Notes what is forced to the disk until the test ends. Reading a file back shows what the system's memory holds; only
 * this shows what a power cut would leave.
 */
export async function watchSyncs(): Promise<Synced[]> {
  const probe = await open('/dev/null', 'r');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const synced: Synced[] = [];
  for (const method of ['sync', 'datasync'] as const) {
    const spy = vi.spyOn(handles, method).mockImplementation(async function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      const isFolder = statSync(path).isDirectory();
      synced.push({ path, content: isFolder ? undefined : readFileSync(path, 'latin1') });
    });
    onTestFinished(() => spy.mockRestore());
  }
  return synced;
}
