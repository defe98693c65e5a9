// watches: packages/graph/src/tables, packages/graph/src/files, packages/cli/src/export, docs/queries.md
// watches: packages/worker/src/save
// misses: exports that DuckDB, pyarrow or NetworkX read as something else
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBConnection } from '@duckdb/node-api';
import type { PageRecord } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { pythonFor } from '../outside/python.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { commoncrawlColumns } from '../tables/commoncrawl-columns.ts';
import { type FoundTables, sameRows } from '../tables/same-rows.ts';
import { briskJob, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';

const run = promisify(execFile);
const tableNames = ['pages', 'index', 'links', 'vertices', 'edges', 'dependencies'];
const queriesPage = resolve(import.meta.dirname, '../../docs/queries.md');

/**
 * What a crawl exports is what it holds, as others read it: Parquet by DuckDB and pyarrow row by row against the
 * records, the graph by NetworkX, Common Crawl's columns with their types, and every query of the docs.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const folder = workFolder('tables');
  const fake = await startFakeWeb({ size: quick ? 'S' : 'M', seed: 1 });
  try {
    const out = join(folder.path, 'lab.crawl');
    const job = join(folder.path, 'job.json');
    await writeJob(job, briskJob(fake).job);
    const crawler = startCrawler(job, out);
    const exit = await crawler.ended;
    if (exit !== 0) throw new Error(`the crawl ended with ${exit}: ${crawler.output()}`);
    const graphml = join(folder.path, 'graph.graphml');
    const graphJson = join(folder.path, 'graph.json');
    await webfarer('export', out, '--parquet');
    await webfarer('export', out, '--graphml', graphml);
    await webfarer('export', out, '--graph-json', graphJson);

    const held = await contentsOf(out);
    const tables = join(out, 'parquet');
    const byDuckdb = await readByDuckdb(tables);
    const byArrow = await readByArrow(tables, graphml, graphJson);
    const problems = [
      ...sameRows('pyarrow', byArrow, held),
      ...sameRows('DuckDB', byDuckdb, held),
      ...columnProblems(byArrow),
      ...graphProblems(byArrow),
    ];
    const queries = await documentedQueries();
    problems.push(
      ...(await queryProblems(tables, queries)),
      ...(await commandProblems(out, queries[0] ?? '')),
    );
    for (const problem of problems.slice(0, 20)) console.error(problem);
    const rows = Object.values(byArrow.tables).reduce((sum, table) => sum + table.rows.length, 0);
    return {
      ok: problems.length === 0 && held.records.length > 100 && queries.length > 10,
      result: {
        rows,
        pages: held.records.length,
        links: held.links.length,
        queries: queries.length,
        problems: problems.length,
      },
    };
  } finally {
    await fake.stop();
    folder.remove();
  }
}

async function webfarer(...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [commandPath, ...words], { maxBuffer: 1e9 });
  return stdout;
}

/** What the crawl holds, asked without any export. */
async function contentsOf(folder: string): Promise<{ records: PageRecord[]; links: string[] }> {
  const reader = await readFolder(folder);
  try {
    const records: PageRecord[] = [];
    const links: string[] = [];
    for await (const record of reader.results.records(reader.crawl)) records.push(record);
    for await (const { from, edges } of reader.results.edges(reader.crawl))
      for (const { to, rel } of edges) links.push(`${from} ${rel} ${to}`);
    return { records, links };
  } finally {
    await reader.close();
  }
}

async function readByArrow(tables: string, graphml: string, graphJson: string): Promise<FoundTables> {
  const script = resolve(import.meta.dirname, '../outside/read_tables.py');
  const python = await pythonFor('tables');
  const { stdout } = await run(python, [script, tables, graphml, graphJson], { maxBuffer: 1e9 });
  return JSON.parse(stdout) as FoundTables;
}

async function readByDuckdb(tables: string): Promise<FoundTables> {
  const connection = await DuckDBConnection.create();
  const found: FoundTables = { tables: {}, graphs: [] };
  for (const name of tableNames) {
    const reader = await connection.runAndReadAll(
      `SELECT * FROM read_parquet('${join(tables, name)}.parquet')`,
    );
    const types = reader.columnTypes().map(String);
    found.tables[name] = {
      columns: reader.columnNames().map((column, i) => [column, types[i] ?? '', true]),
      rows: reader.getRowsJson(),
    };
  }
  connection.closeSync();
  return found;
}

function columnProblems({ tables }: FoundTables): string[] {
  const found = tables.index?.columns.map(([name, type]) => `${name} ${type}`) ?? [];
  return found.join() === commoncrawlColumns.join()
    ? []
    : [`columns of the index: ${found.join(', ')}; wanted ${commoncrawlColumns.join(', ')}`];
}

/** Both files hold the graph of the tables. */
function graphProblems({ graphs, tables }: FoundTables): string[] {
  const hosts = tables.vertices?.rows.map((row) => [row[1], row[3], row[5]]) ?? [];
  const names = new Map(tables.vertices?.rows.map((row) => [Number(row[0]), String(row[1])]));
  const edges = tables.edges?.rows.map(([from, to, links]) => [
    names.get(Number(from)),
    names.get(Number(to)),
    links,
  ]);
  const sorted = (rows: unknown[] = []) =>
    rows
      .map((row) => JSON.stringify(row))
      .toSorted()
      .join('\n');
  return graphs.flatMap((graph, i) => {
    const same = sorted(graph.nodes) === sorted(hosts) && sorted(graph.edges) === sorted(edges);
    return same ? [] : [`${i === 0 ? 'GraphML' : 'JSON'}: not the graph of the tables`];
  });
}

async function documentedQueries(): Promise<string[]> {
  const page = await readFile(queriesPage, 'utf8');
  return [...page.matchAll(/```sql\n(.*?)```/gs)].map((match) => match[1] ?? '');
}

/** Each runs, and answers something. */
async function queryProblems(folder: string, queries: string[]): Promise<string[]> {
  const connection = await DuckDBConnection.create();
  for (const name of tableNames)
    await connection.run(
      `CREATE VIEW "${name}" AS SELECT * FROM read_parquet('${join(folder, name)}.parquet')`,
    );
  const problems: string[] = [];
  for (const sql of queries) {
    const answer = await connection.runAndReadAll(sql).catch((error: Error) => error);
    if (answer instanceof Error) problems.push(`${sql}: ${answer.message}`);
    else if (answer.getRowsJson().length === 0) problems.push(`no answer to: ${sql}`);
  }
  connection.closeSync();
  return problems;
}

/** As a person would ask. */
async function commandProblems(folder: string, sql: string): Promise<string[]> {
  const lines = (await webfarer('stats', folder, '--sql', sql, '--json')).trim().split('\n');
  const first = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
  return first.verdict === undefined ? [`the command answered ${lines[0]}`] : [];
}
