import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ItemChange } from '../crawl/local-port.ts';

/** What a recrawl writes about its items, a line each: `{"change":"new","page":"…","item":{…}}`. */
export const itemChangesName = 'item-changes.jsonl';

/** In the order in which a person wants to hear of them. */
export const itemChangeKinds = [
  'new',
  'changed',
  'gone',
  'unclear',
  'same',
] as const satisfies ItemChange['change'][];
export type ItemChangeCounts = Record<ItemChange['change'], number>;

/** Counts what a recrawl has written; undefined where it has written none. */
export async function countItemChanges(folder: string): Promise<ItemChangeCounts | undefined> {
  const file = await open(join(folder, itemChangesName)).catch(() => undefined);
  if (!file) return undefined;
  const counts: ItemChangeCounts = { new: 0, changed: 0, gone: 0, unclear: 0, same: 0 };
  for await (const line of file.readLines()) {
    const [, change] = /^\{"change":"([a-z]+)"/.exec(line) ?? [];
    if (change !== undefined && change in counts) counts[change as ItemChange['change']]++;
  }
  return counts;
}
