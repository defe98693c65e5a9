import { join } from 'node:path';
import { writeExplorer } from '@webfarer/graph';
import { requireWhole } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { count, plural } from '../../terminal/format.ts';

export interface ExploreOptions {
  open?: boolean;
}

/** `webfarer graph [folder]`: a page to walk through the links of a crawl. */
export async function explore(
  context: CliContext,
  named: string | undefined,
  { open = true }: ExploreOptions,
): Promise<void> {
  const { terminal, cwd, local } = context;
  const folder = await findFolder(named, cwd);
  const file = join(folder, 'graph.html');
  const reader = await local.readFolder(folder);
  try {
    const { results, crawl, job } = reader;
    const made = await writeExplorer({
      file,
      name: job.name,
      records: () => results.records(crawl),
      edges: () => results.edges(crawl),
    });
    const part = (shown: number, all: number) => (shown < all ? ` (${count(shown)} in the page)` : '');
    terminal.out(
      `  ${plural(made.pages, 'page')}${part(made.shownPages, made.pages)} by their shortest ways, ` +
        `${plural(made.hosts, 'host')}${part(made.shownHosts, made.hosts)}\n`,
    );
    terminal.out(`  ${shownPath(file, cwd)}\n`);
    if (open) context.openFile?.(file);
    await requireWhole(reader);
  } finally {
    await reader.close();
  }
}
