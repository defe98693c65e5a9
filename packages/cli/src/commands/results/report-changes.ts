import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { type ChangeKind, changeKinds, findChanges } from '../../folder/change-counts.ts';
import type { CliContext } from '../../context/context.ts';
import type { Change, FolderReader } from '../../crawl/local-port.ts';
import { count } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';

const titles: Record<ChangeKind, string> = {
  new: 'new pages',
  changed: 'changed pages',
  gone: 'pages that are gone',
  unclear: 'pages that could not be compared',
  unchanged: 'unchanged pages',
};

const columns: Record<'there' | 'missing', Column<Change>[]> = {
  there: [
    { title: 'status', value: ({ status }) => String(status ?? '') },
    { title: 'url', value: ({ url }) => url, wide: true },
    { title: 'title', value: ({ title }) => title ?? '', wide: true, cut: 'end' },
  ],
  missing: [
    { title: 'url', value: ({ url }) => url, wide: true },
    { title: 'why', value: ({ why }) => why ?? '', wide: true, cut: 'end' },
  ],
};

/** `webfarer report --changes` or `--compare`: what is new, changed and gone since the crawl before or another. */
export async function reportChanges(
  { terminal }: CliContext,
  reader: FolderReader,
  { json, limit, than }: { json: boolean; limit: number; than?: string },
): Promise<void> {
  if (json) {
    for await (const change of reader.changes(than)) terminal.out(jsonLine({ list: 'changes', ...change }));
    return;
  }
  const found = await findChanges(reader, limit, than);
  if (!found) return;
  const paint = painter(terminal.colour);
  for (const kind of changeKinds) {
    const rows = kind === 'unchanged' ? [] : found.lists[kind];
    const total = found.counts[kind];
    if (kind === 'unclear' && total === 0) continue;
    terminal.out(`\n  ${paint('strong', titles[kind])}: ${total === 0 ? 'none' : count(total)}\n`);
    const shown = columns[kind === 'gone' || kind === 'unclear' ? 'missing' : 'there'];
    if (rows.length === 0) continue;
    for (const line of tableLines(rows, shown, { columns: usableColumns(terminal), paint }))
      terminal.out(`${line}\n`);
    if (total > rows.length) terminal.out(`  … and ${count(total - rows.length)} more: --limit ${total}\n`);
  }
}

/** Asked for what only a recrawl can tell. */
export function needsRecrawl(reader: FolderReader, launcher: string): void {
  if (reader.previous !== undefined) return;
  throw new WebfarerError('usage', 'There is no earlier crawl to compare this one with.', {
    next: `A recrawl finds what changed:  ${launcher} crawl … --recrawl`,
  });
}
