import { type Compared, gatherStatistics } from '@webfarer/graph';
import { findChanges } from '../../folder/change-counts.ts';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import type { FolderReader } from '../../crawl/local-port.ts';

/** Rows of each list in the report. */
const maxRows = 2_000;

/** What the report says of another crawl. */
export async function comparedWith(
  { local, cwd }: CliContext,
  reader: FolderReader,
  than: string,
): Promise<Compared> {
  const other = await local.readFolder(than);
  try {
    const statistics = await gatherStatistics(other.results.records(other.crawl));
    const found = await findChanges(reader, maxRows, than);
    const list = (kind: 'new' | 'changed' | 'gone') => ({
      total: found?.counts[kind] ?? 0,
      rows: found?.lists[kind] ?? [],
    });
    const changes = { new: list('new'), changed: list('changed'), gone: list('gone') };
    return { name: shownPath(than, cwd), statistics, changes };
  } finally {
    await other.close();
  }
}
