import { join } from 'node:path';
import { listedRows, writeReport } from '@webfarer/graph';
import type { PageRecord } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { isErrorStatus, numberTable } from '@webfarer/protocol/numbers';
import { absentCount, segmentsOption } from '../../folder/absent-results.ts';
import { requireWhole } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { folderSnapshot } from '../../folder/folder-snapshot.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import type { FolderReader } from '../../crawl/local-port.ts';
import {
  type ReportKind,
  type ReportRow,
  type ReportRows,
  reportKinds,
  reportRows,
} from '../../folder/report-rows.ts';
import { bytes, count, plural, span } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';
import { reasonName } from '../../view/wording.ts';
import { collect, type CommandHome, lineLimit } from '../home.ts';
import { comparedWith } from './report-compare.ts';
import { needsRecrawl, reportChanges } from './report-changes.ts';

type ReportOptions = Partial<Record<ReportKind | 'changes', boolean>> & {
  compare?: string;
  limit?: string;
  json?: boolean;
  segments?: string[];
};

export function addReportCommand({ program, context }: CommandHome): void {
  program
    .command('report')
    .description('Lists what needs attention and rewrites report.html.')
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--broken', 'broken links, with the page that contains them')
    .option('--failed', 'URLs that could not be fetched')
    .option('--skipped', 'URLs that were refused, with the reason')
    .option('--slow', 'the slowest responses')
    .option('--changes', 'in a recrawl: new, changed and gone pages')
    .option('--compare <folder>', 'what is new, changed and gone since another crawl')
    .option('--limit <n>', 'lines per list (20; with one list 2000, as in report.html)')
    .option(...segmentsOption, collect)
    .option('--json', 'as JSON lines')
    .action(async (named: string | undefined, options: ReportOptions) => {
      const folder = await findFolder(named, context.cwd);
      const reader = await context.local.readFolder(folder, options);
      try {
        await report(context, reader, { ...options, folder });
        await requireWhole(reader);
      } finally {
        await reader.close();
      }
    });
}

async function report(
  context: CliContext,
  reader: FolderReader,
  options: ReportOptions & { folder: string },
): Promise<void> {
  const asked = reportKinds.filter((kind) => options[kind]);
  const kinds = asked.length > 0 || options.changes || options.compare ? asked : reportKinds;
  const lists = asked.length + (options.changes || options.compare ? 1 : 0);
  const limit = lineLimit(options.limit, lists === 1 ? listedRows : 20);
  if (options.changes) needsRecrawl(reader, context.launcher);
  const than = options.compare === undefined ? undefined : await findFolder(options.compare, context.cwd);
  if (options.changes || than !== undefined || asked.length === 0)
    await reportChanges(context, reader, { json: options.json ?? false, limit, ...(than && { than }) });
  for (const kind of kinds) {
    const found = await reportRows(reader, kind, limit);
    if (options.json) jsonList(context, kind, found);
    else printList(context, kind, found);
  }
  const file = join(options.folder, 'report.html');
  await writeReport({
    file,
    snapshot: await folderSnapshot(reader),
    absent: absentCount(await reader.kept()),
    limits: reader.job.limits,
    records: () => reader.results.records(reader.crawl),
    edges: () => reader.results.edges(reader.crawl),
    ...(than && { compared: await comparedWith(context, reader, than) }),
  });
  if (!options.json) context.terminal.out(`\n  the whole report: ${shownPath(file, context.cwd)}\n`);
}

/** The last line of a list says how much of it was printed. */
function jsonList({ terminal }: CliContext, kind: ReportKind, { rows, ...counts }: ReportRows): void {
  for (const row of rows) terminal.out(jsonLine({ list: kind, ...row }));
  terminal.out(jsonLine({ list: kind, shown: rows.length, ...counts }));
}

const titles: Record<ReportKind, string> = {
  broken: numberTable.brokenLinks.words.en,
  failed: numberTable.failed.words.en,
  skipped: numberTable.refused.words.en,
  slow: 'slowest answers',
};

function printList({ terminal }: CliContext, kind: ReportKind, { rows, total, pages }: ReportRows): void {
  const paint = painter(terminal.colour);
  if (rows.length === 0) {
    terminal.out(`\n  ${paint('strong', titles[kind])}: none\n`);
    return;
  }
  const on = pages ? ` on ${plural(pages, 'page')}` : '';
  const number = kind === 'slow' ? '' : ` (${count(total)}${on})`;
  terminal.out(`\n  ${paint('strong', titles[kind])}${number}\n`);
  const lines = tableLines(rows, columnsFor[kind], { columns: usableColumns(terminal), paint });
  for (const line of lines) terminal.out(`${line}\n`);
  if (kind !== 'slow' && total > rows.length)
    terminal.out(
      `  ${count(rows.length)} of ${count(total)} shown: --limit ${total} shows all, as does export --csv\n`,
    );
}

const url: Column<ReportRow> = { title: 'url', value: ({ record }) => record.url, wide: true };
const on: Column<ReportRow> = {
  title: 'on page',
  value: ({ pages: [first], pages, onPages = pages.length }) =>
    first === undefined ? '(seed)' : onPages > 1 ? `${first} +${count(onPages - 1)}` : first,
  wide: true,
};
const why: Column<ReportRow> = { title: 'why', value: ({ record }) => reasonName(record.reason) };
const detail: Column<ReportRow> = {
  title: 'detail',
  value: ({ record }) => record.detail ?? '',
  wide: true,
  cut: 'end',
};

/** A body that could not be decoded came with 200: then the reason says what is wrong. */
function brokenWord({ reason, status }: PageRecord): string {
  if (reason === 'redirect') return 'circle';
  return status !== undefined && isErrorStatus(status) ? String(status) : reasonName(reason);
}

const columnsFor: Record<ReportKind, Column<ReportRow>[]> = {
  broken: [{ title: 'status', value: ({ record }) => brokenWord(record) }, url, on],
  failed: [why, { title: 'tries', value: ({ record }) => count(record.attempts), right: true }, url, detail],
  skipped: [why, url, detail],
  slow: [
    { title: 'time', value: ({ record }) => span(record.durationMs), right: true },
    { title: 'size', value: ({ record }) => bytes(record.bytes), right: true },
    { title: 'status', value: ({ record }) => String(record.status ?? '') },
    url,
  ],
};
