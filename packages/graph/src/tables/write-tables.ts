import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import type { DependencyStore } from '../dependency/store.ts';
import { hostGraph } from '../hostgraph/host-graph.ts';
import { centrality } from '../hostgraph/measures.ts';
import type { Table } from './column.ts';
import { dependencyTable } from './dependency-table.ts';
import { edgeTable, linkTable, vertexTable } from './link-tables.ts';
import { pageTable } from './page-table.ts';
import { writeParquet } from './parquet-file.ts';
import { urlIndex } from './url-index.ts';

export interface TableSource {
  /** Names the crawl in the index. */
  name: string;
  records(): AsyncIterable<PageRecord>;
  edges(): AsyncIterable<{ from: Url; edges: Edge[] }>;
  dependencies: DependencyStore;
}

export interface WrittenTable {
  name: string;
  file: string;
  rows: number;
}

/** All tables of a crawl as Parquet files in a folder, one after the other: memory is the graph of its hosts. */
export async function writeTables(
  source: TableSource,
  {
    folder,
    software,
    onTable,
  }: { folder: string; software: string; onTable?: (table: WrittenTable) => void },
): Promise<WrittenTable[]> {
  await mkdir(folder, { recursive: true });
  const written: WrittenTable[] = [];
  async function write<Row>(table: Table<Row>): Promise<void> {
    const file = join(folder, `${table.name}.parquet`);
    const one = { name: table.name, file, rows: await writeParquet(table, { file, software }) };
    written.push(one);
    onTable?.(one);
  }
  await write(pageTable(source.records()));
  await write(urlIndex(source.name, source.records()));
  await write(linkTable(source.edges()));
  const graph = await hostGraph([source.edges()]);
  await write(vertexTable(graph, await centrality(graph)));
  await write(edgeTable(graph));
  await write(dependencyTable(source.dependencies));
  return written;
}
