import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import { tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';
import { parquetOf, tableFolder } from './export-tables.ts';

export interface SqlOptions {
  folder: string;
  sql: string;
  json?: boolean | undefined;
}

/** SQL over the tables of a crawl, by DuckDB where that is installed. The tables are made when they are older than the crawl. */
export async function answerSql(context: CliContext, { folder, sql, json }: SqlOptions): Promise<void> {
  const connection = await connect();
  try {
    await bringTables(context, folder);
    await addViews(connection, join(folder, tableFolder));
    const reader = await connection.runAndReadAll(sql).catch((error: Error) => {
      throw new WebfarerError('usage', error.message, {
        next: 'Tables: pages, "index", links, vertices, edges, dependencies. Queries to start from: docs/queries.md',
      });
    });
    const names = reader.columnNames();
    const rows = reader.getRowsJson().map((row) => row.map(shownCell));
    if (json) for (const row of reader.getRowObjectsJson()) context.terminal.out(jsonLine(row));
    else print(context, names, rows);
  } finally {
    connection.closeSync();
  }
}

async function connect(): Promise<DuckDBConnection> {
  try {
    const { DuckDBConnection: Connection } = await import('@duckdb/node-api');
    return await Connection.create();
  } catch (error) {
    throw new WebfarerError('usage', 'SQL needs DuckDB, which is not installed', {
      next: 'Install it beside webfarer:  npm install @duckdb/node-api (70 MB). Or export the tables for another tool:  webfarer export --parquet',
      cause: error,
    });
  }
}

/** Rebuilt if the crawl has progressed since. */
async function bringTables(context: CliContext, folder: string): Promise<void> {
  const target = join(folder, tableFolder);
  const reader = await context.local.readFolder(folder);
  try {
    const made = await oldestIn(target);
    if (made !== undefined && made > context.clock.now() - reader.stoppedAgoMs && !reader.busy) return;
    context.terminal.err(`  making the tables in ${shownPath(target, context.cwd)} …\n`);
    await parquetOf(context, reader, { folder, target });
  } finally {
    await reader.close();
  }
}

async function oldestIn(folder: string): Promise<number | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith('.parquet'));
  if (files.length < tableNames.length) return undefined;
  const times = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).mtimeMs));
  return Math.min(...times);
}

const tableNames = ['pages', 'index', 'links', 'vertices', 'edges', 'dependencies'];

async function addViews(connection: DuckDBConnection, folder: string): Promise<void> {
  for (const name of tableNames) {
    const file = join(folder, `${name}.parquet`).replaceAll("'", "''");
    await connection.run(`CREATE VIEW "${name}" AS SELECT * FROM read_parquet('${file}')`);
  }
}

function print({ terminal }: CliContext, names: string[], rows: string[][]): void {
  const columns = names.map((title, i) => ({
    title,
    value: (row: string[]) => row[i] ?? '',
    wide: i === 0,
    right: rows.length > 0 && rows.every((row) => /^-?[\d.]*$/.test(row[i] ?? '')),
  }));
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  for (const line of tableLines(rows, columns, size)) terminal.out(`${line}\n`);
}

function shownCell(cell: unknown): string {
  if (cell === null) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell as string | number | boolean);
}
