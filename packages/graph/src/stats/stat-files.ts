import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '@webfarer/protocol/node';
import { csvLine } from '../files/export-csv.ts';
import { writeOut } from '../files/write-out.ts';
import type { StatTable } from './stat-tables.ts';

/** Each table as a CSV file of its name. A file appears whole, or the one before it stays. Answers the names. */
export async function writeStatFiles(tables: readonly StatTable[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  for (const table of tables) {
    const file = join(folder, `${table.id}.csv`);
    await writeWhole(file, (out) => writeOut(lines(table), out));
  }
  return tables.map(({ id }) => `${id}.csv`);
}

async function* lines({ head, rows }: StatTable): AsyncGenerator<string> {
  yield csvLine(head);
  for (const row of rows) yield csvLine(row);
}
