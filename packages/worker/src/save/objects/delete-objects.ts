import { checkKey, crawlKey, deletedKey } from '../../archive/objects/layout.ts';
import type { ObjectStore } from '../../objects/object-store.ts';

/** Rejects where the store cannot be written, or nothing be removed from it. */
export async function checkObjectsRemovable(store: ObjectStore): Promise<void> {
  await store.put(checkKey, Buffer.from('\n'));
  await store.remove(checkKey);
}

/** From now on no worker completes a file of this crawl. */
export async function markObjectsDeleted(store: ObjectStore, nowMs: number): Promise<void> {
  const text = JSON.stringify({ format: 1, deletedAt: new Date(nowMs).toISOString() });
  await store.put(deletedKey, Buffer.from(`${text}\n`));
}

/**
 * Removes everything that a crawl has in object storage. The mark stays, for workers that were away: what they still
 * upload is removed when this is called again, as upkeep does. Answers how many objects went.
 */
export async function purgeObjects(store: ObjectStore): Promise<number> {
  for await (const upload of store.uploads('')) await store.abortUpload(upload);
  let removed = 0;
  const keys: string[] = [];
  for await (const { key } of store.list('')) if (key !== deletedKey) keys.push(key);
  // Last of all what says whose archive it was: a run that is cut off can be told from a stray object.
  for (const key of [...keys.filter((key) => key !== crawlKey), ...keys.filter((key) => key === crawlKey)]) {
    await store.remove(key);
    removed++;
  }
  return removed;
}
