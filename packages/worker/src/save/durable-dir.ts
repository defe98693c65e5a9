import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes creations and renames in a folder durable. Some systems cannot open a folder: theirs are so already. */
export async function syncDir(path: string): Promise<void> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw error;
  }
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Creates a folder with its parents, durably. */
export async function makeDir(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let at = path; ; at = dirname(at)) {
    await syncDir(dirname(at));
    if (at === first || dirname(at) === at) return;
  }
}
