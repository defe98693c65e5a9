import {
  type FolderLock,
  lockFolder,
  makeOwnFolder,
  openWorkerCard,
  openWorkerKey,
} from '@webfarer/coordinator';

/**
 * Takes a worker's folder: locked for as long as this process lives, so that whoever has it knows that no other
 * process with this identity is alive, and its old leases can be freed.
 */
export async function openWorkerFolder(
  folder: string,
  webfarer: string,
): Promise<{ id: string; key: string; lock: FolderLock }> {
  await makeOwnFolder(folder);
  const lock = lockFolder(folder);
  try {
    const { id } = await openWorkerCard(folder, webfarer);
    return { id, key: await openWorkerKey(folder), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}
