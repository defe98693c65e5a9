import { resolve } from 'node:path';
import { gatherStatistics, overlapTable, type StatTable, statTables, writeStatFiles } from '@webfarer/graph';
import { jsonLine } from '@webfarer/protocol/crawl';
import { requireWholeFolders } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { bytes, count, plural } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';
import { type CommandHome, lineLimit } from '../home.ts';
import { answerSql } from './stats-sql.ts';

interface StatsOptions {
  csv?: string;
  json?: boolean;
  limit?: string;
  sql?: string;
}

export function addStatsCommand({ program, context }: CommandHome): void {
  program
    .command('stats')
    .description(
      'Counts pages, URLs, hosts, sites and what they are made of; with a second folder, what both share.',
    )
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .argument('[other]', 'a second crawl to compare with')
    .option('--csv <folder>', 'write each table as a CSV file into this folder')
    .option('--sql <query>', 'run SQL over the tables of the crawl (docs/queries.md)')
    .option('--limit <n>', 'lines per table (10)')
    .option('--json', 'all tables as JSON, one per line')
    .action(async (named: string | undefined, other: string | undefined, options: StatsOptions) => {
      await showStats(context, { named, other }, options);
      const folders = [named, ...(other === undefined ? [] : [other])];
      const found = folders.map((folder) => findFolder(folder, context.cwd));
      await requireWholeFolders(context, await Promise.all(found));
    });
}

async function showStats(
  context: CliContext,
  { named, other }: { named: string | undefined; other: string | undefined },
  options: StatsOptions,
): Promise<void> {
  const limit = lineLimit(options.limit, 10);
  if (options.sql !== undefined) {
    const folder = await findFolder(named, context.cwd);
    return await answerSql(context, { folder, sql: options.sql, json: options.json });
  }
  const tables = await tablesOf(context, await findFolder(named, context.cwd), other);
  if (options.json) for (const table of tables) context.terminal.out(jsonLine({ ...table }));
  else if (options.csv === undefined)
    for (const table of tables) print(context, table, table.id === 'totals' ? table.rows.length : limit);
  if (options.csv === undefined) return;
  const folder = resolve(context.cwd, options.csv);
  const names = await writeStatFiles(tables, folder);
  if (!options.json)
    context.terminal.out(`  ${plural(names.length, 'table')} in ${shownPath(folder, context.cwd)}\n`);
}

async function tablesOf(context: CliContext, folder: string, other?: string): Promise<StatTable[]> {
  const here = await statisticsOf(context, folder);
  const tables = statTables(here);
  if (other === undefined) return tables;
  const there = await statisticsOf(context, await findFolder(other, context.cwd));
  return [overlapTable(here, there), ...tables];
}

async function statisticsOf({ local }: CliContext, folder: string) {
  const reader = await local.readFolder(folder);
  try {
    return await gatherStatistics(reader.results.records(reader.crawl));
  } finally {
    await reader.close();
  }
}

type Row = StatTable['rows'][number];

function print({ terminal }: CliContext, { title, head, rows, note }: StatTable, limit: number): void {
  const paint = painter(terminal.colour);
  terminal.out(`\n  ${paint('strong', title)}${note === undefined ? '' : paint('quiet', `   ${note}`)}\n`);
  const columns = head.map((name, i): Column<Row> => {
    const right = i > 0 && rows.every((row) => typeof row[i] !== 'string');
    return { title: name, value: (row) => shown(name, row[i]), right, wide: i === 0, cut: 'end' };
  });
  const lines = tableLines(rows.slice(0, limit), columns, { columns: usableColumns(terminal), paint });
  for (const line of lines) terminal.out(`${line}\n`);
  if (rows.length > limit)
    terminal.out(`  … and ${count(rows.length - limit)} more: --limit ${rows.length}, or --csv\n`);
}

function shown(name: string, cell: Row[number]): string {
  if (typeof cell !== 'number') return cell ?? '';
  if (name === 'bytes') return bytes(cell);
  return Number.isInteger(cell) ? count(cell) : String(cell);
}
