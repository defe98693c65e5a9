import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  centrality,
  hostGraph,
  usualThreshold,
  writeGraphJson,
  writeGraphml,
  type WrittenTable,
  writeTables,
} from '@webfarer/graph';
import { writeWhole } from '@webfarer/protocol/node';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import type { FolderReader } from '../../crawl/local-port.ts';
import { bytes, plural } from '../../terminal/format.ts';
import { update, withStore } from './graph-deps.ts';

export const tableFolder = 'parquet';

/** All tables of a crawl as Parquet, a line for each as it is done. */
export async function exportParquet(
  context: CliContext,
  reader: FolderReader,
  { folder, to }: { folder: string; to: string | true },
): Promise<void> {
  const { terminal, cwd } = context;
  const target = to === true ? join(folder, tableFolder) : resolve(cwd, to);
  const tables = await parquetOf(context, reader, {
    folder,
    target,
    onTable: ({ name, rows }) => terminal.out(`  ${name}  ${plural(rows, 'row')}\n`),
  });
  let size = 0;
  for (const { file } of tables) size += (await stat(file)).size;
  terminal.out(`  ${plural(tables.length, 'table')}, ${bytes(size)} in ${shownPath(target, cwd)}\n`);
}

export async function parquetOf(
  context: CliContext,
  reader: FolderReader,
  options: { folder: string; target: string; onTable?: (table: WrittenTable) => void },
): Promise<WrittenTable[]> {
  const { crawl, results, job } = reader;
  const { folder, target, onTable } = options;
  let tables: WrittenTable[] = [];
  await withStore(join(folder, 'dependencies.sqlite'), async (dependencies) => {
    await update(context, dependencies, { folder, threshold: usualThreshold, options: { json: true } });
    tables = await writeTables(
      {
        name: job.name,
        records: () => results.records(crawl),
        edges: () => results.edges(crawl),
        dependencies,
      },
      { folder: target, software: `webfarer/${context.version}`, ...(onTable ? { onTable } : {}) },
    );
  });
  return tables;
}

/** The graph of hosts as one file. */
export async function exportGraph(
  { terminal, cwd }: CliContext,
  { results, crawl }: FolderReader,
  { graphml, graphJson = '' }: { graphml?: string; graphJson?: string },
): Promise<void> {
  const graph = await hostGraph([results.edges(crawl)]);
  const text = { graph, measures: await centrality(graph) };
  const file = resolve(cwd, graphml ?? graphJson);
  const write = graphml === undefined ? writeGraphJson : writeGraphml;
  await writeWhole(file, (out) => write(text, out));
  const size = `${plural(graph.names.length, 'host')}, ${plural(graph.out.targets.length, 'link')} between them`;
  terminal.out(`  ${size} in ${shownPath(file, cwd)}\n`);
}
