import { type FileHandle, open } from 'node:fs/promises';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { moveFile } from '@webfarer/protocol/node';
import type { Cell, ColumnType, Table, TableColumn } from './column.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Held in memory as columns, then written as one row group: large enough to pack well, small enough for any machine. */
const rowsPerGroup = 100_000;

export interface ParquetOptions {
  file: string;
  /** Who made it, for those who open it later. */
  software: string;
  rowsPerGroup?: number;
}

/** Writes a table as one Parquet file packed with zstd. It appears under its name when it is whole. */
export async function writeParquet<Row>(table: Table<Row>, options: ParquetOptions): Promise<number> {
  const handle = await open(`${options.file}.new`, 'w');
  try {
    const rows = await writeTable(table, handle, options);
    await handle.sync();
    await moveFile(`${options.file}.new`, options.file);
    return rows;
  } finally {
    await handle.close();
  }
}

async function writeTable<Row>(
  { columns, rows }: Table<Row>,
  handle: FileHandle,
  { software, rowsPerGroup: most = rowsPerGroup }: ParquetOptions,
): Promise<number> {
  const out = new ByteWriter();
  const writer = new ParquetWriter({
    writer: out,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    kvMetadata: [{ key: 'software', value: software }],
  });
  let data = columns.map((): Cell[] => []);
  let held = 0;
  let written = 0;
  const flush = async () => {
    const columnData = columns.map(({ name, type }, i) => ({ name, data: stored(type, data[i] as Cell[]) }));
    await writer.write({ columnData, rowGroupSize: most });
    await flushTo(handle, out);
    written += held;
    held = 0;
    data = columns.map((): Cell[] => []);
  };
  for await (const row of rows) {
    for (let i = 0; i < columns.length; i++) data[i]?.push((columns[i] as TableColumn<Row>).value(row));
    if (++held === most) await flush();
  }
  if (held > 0) await flush();
  await writer.finish();
  await flushTo(handle, out);
  return written;
}

/** Moves what was written so far to the file; the writer goes on counting from there. */
async function flushTo(handle: FileHandle, out: ByteWriter): Promise<void> {
  const bytes = out.getBytes();
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes.subarray(at));
    at += bytesWritten;
  }
  out.index = 0;
}

function schemaOf<Row>(columns: readonly TableColumn<Row>[]): SchemaElement[] {
  const leaves = columns.map(
    ({ name, type, required }): SchemaElement => ({
      name,
      repetition_type: required ? 'REQUIRED' : 'OPTIONAL',
      ...elements[type],
    }),
  );
  return [{ name: 'schema', num_children: leaves.length }, ...leaves];
}

const elements: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int16: { type: 'INT32', converted_type: 'INT_16' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

function stored(type: ColumnType, cells: Cell[]): unknown[] {
  if (type === 'int64') return cells.map((cell) => (cell === undefined ? undefined : BigInt(cell as number)));
  if (type === 'timestamp')
    return cells.map((cell) => (cell === undefined ? undefined : new Date(cell as number)));
  return cells;
}
