/** Types as Parquet, DuckDB, Spark and pandas understand them alike. */
export type ColumnType = 'string' | 'int16' | 'int32' | 'int64' | 'double' | 'boolean' | 'timestamp';

export type Cell = string | number | boolean | undefined;

/** One column of a table: its name, its type, and what it is of a row. A timestamp is milliseconds since 1970. */
export interface TableColumn<Row> {
  name: string;
  type: ColumnType;
  /** Every row has a value. */
  required?: true;
  value(row: Row): Cell;
}

export interface Table<Row> {
  /** The name of its file, without ending, and of the table in SQL. */
  name: string;
  columns: readonly TableColumn<Row>[];
  rows: AsyncIterable<Row> | Iterable<Row>;
}
