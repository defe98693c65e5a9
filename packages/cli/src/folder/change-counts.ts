import type { Change, FolderReader } from '../crawl/local-port.ts';

/** In the order in which a person wants to hear of them. */
export const changeKinds = [
  'new',
  'changed',
  'gone',
  'unclear',
  'unchanged',
] as const satisfies Change['change'][];
export type ChangeKind = (typeof changeKinds)[number];
export type ChangeCounts = Record<ChangeKind, number>;

export interface FoundChanges {
  counts: ChangeCounts;
  /** The first of each kind. */
  lists: Record<ChangeKind, Change[]>;
}

/** Counts what changed and keeps at most `limit` of each kind; undefined where there is nothing to compare with. */
export async function findChanges(
  reader: FolderReader,
  limit: number,
  than = reader.previous,
): Promise<FoundChanges | undefined> {
  if (than === undefined) return undefined;
  const counts: ChangeCounts = { new: 0, changed: 0, gone: 0, unclear: 0, unchanged: 0 };
  const lists: FoundChanges['lists'] = { new: [], changed: [], gone: [], unclear: [], unchanged: [] };
  for await (const found of reader.changes(than)) {
    counts[found.change]++;
    if (lists[found.change].length < limit) lists[found.change].push(found);
  }
  return { counts, lists };
}
