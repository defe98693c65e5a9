// watches: examples, packages/graph/src/tables, packages/graph/src/dependency, packages/cli/src/export
// misses: tables that the Spark example reads otherwise than one machine
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBConnection } from '@duckdb/node-api';
import { centrality } from '../../packages/graph/src/hostgraph/measures.ts';
import { edgeTable, vertexTable } from '../../packages/graph/src/tables/link-tables.ts';
import { writeParquet } from '../../packages/graph/src/tables/parquet-file.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { pythonFor } from '../outside/python.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { randomGraph } from '../tables/random-graph.ts';
import { briskJob, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';

const run = promisify(execFile);
const example = resolve(import.meta.dirname, '../../examples/spark/web_graph.py');
/** All ranks together; no single one can be further off. */
const wanted = 1e-6;

/**
 * The Spark job of the examples finds in our tables what one machine finds: degrees, PageRank and merged
 * dependencies of a crawl of the fake web, and of a random graph of a million links. Spark takes a minute
 * even for a small graph, so the quick form is content with the crawl.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const sizes = quick ? { web: 'S' as const, links: 0 } : { web: 'M' as const, links: 1_000_000 };
  const folder = workFolder('spark');
  try {
    const crawl = await crawlTables(folder.path, sizes.web);
    const ofCrawl = await compare(crawl, join(folder.path, 'crawl-out'));
    const ofRandom = sizes.links > 0 ? await compareRandom(folder.path, sizes.links) : undefined;
    const maxError = Math.max(ofCrawl.rankError, ofCrawl.shareError, ofRandom?.rankError ?? 0);
    const differences = ofCrawl.degreesDiffer + ofCrawl.targetsDiffer + (ofRandom?.degreesDiffer ?? 0);
    const large = ofRandom === undefined ? quick : ofRandom.hosts > 100;
    return {
      ok: maxError <= wanted && differences === 0 && ofCrawl.hosts > 20 && large,
      result: { sizes, crawl: ofCrawl, random: ofRandom, maxError, differences },
    };
  } finally {
    folder.remove();
  }
}

async function crawlTables(under: string, size: 'S' | 'M'): Promise<string> {
  const fake = await startFakeWeb({ size, seed: 1 });
  try {
    const job = join(under, 'job.json');
    const out = join(under, 'lab.crawl');
    await writeJob(job, briskJob(fake).job);
    const crawler = startCrawler(job, out);
    const exit = await crawler.ended;
    if (exit !== 0) throw new Error(`the crawl ended with ${exit}: ${crawler.output()}`);
    await run(process.execPath, [commandPath, 'export', out, '--parquet']);
    return join(out, 'parquet');
  } finally {
    await fake.stop();
  }
}

async function compareRandom(under: string, links: number) {
  const random = join(under, 'random');
  await writeRandom(random, links);
  return compare(random, join(under, 'random-out'));
}

async function writeRandom(folder: string, links: number): Promise<void> {
  await mkdir(folder);
  const graph = randomGraph({ nodes: Math.ceil(links / 8), links, seed: 1 });
  const write = { software: 'proof' };
  await writeParquet(vertexTable(graph, await centrality(graph)), {
    ...write,
    file: join(folder, 'vertices.parquet'),
  });
  await writeParquet(edgeTable(graph), { ...write, file: join(folder, 'edges.parquet') });
  const none = { ...noDependencies, rows: [] };
  await writeParquet(none, { ...write, file: join(folder, 'dependencies.parquet') });
}

const noDependencies = {
  name: 'dependencies',
  columns: (['level', 'source', 'target', 'share'] as const).map((name) => ({
    name,
    type: name === 'share' ? ('double' as const) : ('string' as const),
    value: () => undefined,
  })),
};

/** Runs the job, then lets DuckDB hold its answers against ours. */
async function compare(tables: string, out: string) {
  const python = await pythonFor('spark');
  const env = {
    ...process.env,
    PYSPARK_PYTHON: python,
    SPARK_LOCAL_IP: '127.0.0.1',
    PYSPARK_SUBMIT_ARGS:
      '--master local[2] --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 --conf spark.sql.adaptive.enabled=false --driver-memory 2g pyspark-shell',
  };
  const began = performance.now();
  await run(python, [example, '--tables', tables, '--out', out, '--tolerance', '1e-7'], {
    env,
    maxBuffer: 1e8,
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  const connection = await DuckDBConnection.create();
  const one = async (sql: string) => Number((await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0] ?? 0);
  const ours = `read_parquet('${tables}/vertices.parquet')`;
  const theirs = `read_parquet('${out}/hosts.parquet/*.parquet')`;
  const joined = `${ours} o FULL JOIN ${theirs} t ON t.host = o.host`;
  const targets = `(SELECT level, target, count(*) AS sources, sum(share) AS share
    FROM read_parquet('${tables}/dependencies.parquet') GROUP BY ALL)`;
  const merged = `${targets} o FULL JOIN read_parquet('${out}/dependencies.parquet/*.parquet') t
    ON t.level = o.level AND t.target = o.target`;
  const answer = {
    hosts: await one(`SELECT count(*) FROM ${theirs}`),
    targets: await one(`SELECT count(*) FROM ${merged}`),
    degreesDiffer: await one(
      `SELECT count(*) FROM ${joined} WHERE (o.in_degree, o.out_degree) IS DISTINCT FROM (t.in_degree, t.out_degree)`,
    ),
    rankError: await one(`SELECT coalesce(sum(abs(o.pagerank - t.pagerank)), 1) FROM ${joined}`),
    targetsDiffer: await one(`SELECT count(*) FROM ${merged} WHERE o.sources IS DISTINCT FROM t.sources`),
    shareError: await one(`SELECT coalesce(max(abs(o.share - t.share)), 0) FROM ${merged}`),
    seconds,
  };
  connection.closeSync();
  return answer;
}
