import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  centrality,
  type Centrality,
  type GraphMeasures,
  type GrownGraph,
  hostGraph,
  measureGraph,
  noGraph,
  openGraph,
  saveGraph,
} from '@webfarer/graph';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { requireWholeFolders } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder } from '../../folder/folders.ts';
import { count, plural } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';

export interface GraphStatsOptions {
  level?: 'host' | 'site';
  into?: string;
  limit?: string;
  json?: boolean;
}

/** The graph of one crawl, of several together, or of a file that crawls were merged into. */
export async function showGraphStats(
  context: CliContext,
  named: string[],
  options: GraphStatsOptions,
): Promise<void> {
  const limit = linesOf(options.limit);
  const [only = ''] = named;
  const isFile = named.length === 1 && (await isGraphFile(resolve(context.cwd, only)));
  const { graph, level } = isFile
    ? await graphAt(resolve(context.cwd, only))
    : await read(context, named, options);
  const measures = measureGraph(graph);
  const nodes = nodeRows(graph.names, await centrality(graph));
  if (options.json) printJson(context, { measures, nodes }, level);
  else print(context, { measures, nodes: nodes.slice(0, limit) }, level);
  if (isFile) return;
  const folders = (named.length === 0 ? [undefined] : named).map((folder) => findFolder(folder, context.cwd));
  await requireWholeFolders(context, await Promise.all(folders));
}

async function isGraphFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function graphAt(file: string): Promise<GrownGraph> {
  const found = await openGraph(file);
  if (found === undefined) throw noGraph(file);
  return found;
}

/** With `--into`, what the file holds already and these crawls, which it then holds too; each crawl once. */
async function read(
  context: CliContext,
  named: string[],
  { level = 'host', into }: GraphStatsOptions,
): Promise<Pick<GrownGraph, 'graph' | 'level'>> {
  const file = into === undefined ? undefined : resolve(context.cwd, into);
  const grown = file !== undefined && (await isGraphFile(file)) ? await graphAt(file) : undefined;
  if (grown !== undefined && grown.level !== level)
    throw new WebfarerError('usage', `${into} is a graph of ${grown.level}s, not of ${level}s.`, {
      next: `Use --level ${grown.level}, or another file.`,
    });
  const readers = await openAll(context, named.length === 0 ? [undefined] : named);
  try {
    const fresh = readers.filter(({ crawl }) => !grown?.crawls.includes(crawl));
    const links = fresh.map(({ results, crawl }) => results.edges(crawl));
    const graph = await hostGraph(links, { level, ...(grown ? { base: grown.graph } : {}) });
    const crawls = [...(grown?.crawls ?? []), ...fresh.map(({ crawl }) => crawl)];
    if (file !== undefined && fresh.length > 0) await saveGraph(file, { graph, level, crawls });
    return { graph, level };
  } finally {
    for (const reader of readers) await reader.close();
  }
}

async function openAll({ local, cwd }: CliContext, folders: (string | undefined)[]) {
  const readers: Awaited<ReturnType<typeof local.readFolder>>[] = [];
  try {
    for (const folder of folders) readers.push(await local.readFolder(await findFolder(folder, cwd)));
  } catch (error) {
    for (const reader of readers) await reader.close();
    throw error;
  }
  return readers;
}

interface NodeRow {
  name: string;
  inDegree: number;
  outDegree: number;
  pageRank: number;
  harmonic: number;
}

/** Most central first. */
function nodeRows(names: string[], { inDegree, outDegree, pageRank, harmonic }: Centrality): NodeRow[] {
  const rows = names.map((name, node) => ({
    name,
    inDegree: inDegree[node] ?? 0,
    outDegree: outDegree[node] ?? 0,
    pageRank: pageRank[node] ?? 0,
    harmonic: harmonic[node] ?? 0,
  }));
  return rows.sort(
    (a, b) => b.harmonic - a.harmonic || b.pageRank - a.pageRank || (a.name < b.name ? -1 : 1),
  );
}

interface Found {
  measures: GraphMeasures;
  nodes: NodeRow[];
}

function printJson({ terminal }: CliContext, { measures, nodes }: Found, level: string): void {
  terminal.out(jsonLine({ kind: 'graph', level, ...measures }));
  for (const node of nodes) terminal.out(jsonLine({ kind: level, ...node }));
}

function print({ terminal }: CliContext, { measures, nodes }: Found, level: 'host' | 'site'): void {
  const paint = painter(terminal.colour);
  terminal.out('\n');
  for (const line of measureLines(measures, level)) terminal.out(`  ${line}\n`);
  terminal.out('\n');
  const size = { columns: usableColumns(terminal), paint };
  for (const line of tableLines(nodes, nodeColumns(level), size)) terminal.out(`${line}\n`);
  if (measures.nodes > nodes.length)
    terminal.out(
      `  … and ${count(measures.nodes - nodes.length)} more: --limit ${measures.nodes}, or --json\n`,
    );
}

function measureLines(found: GraphMeasures, level: 'host' | 'site'): string[] {
  const { bowTie, powerLaw } = found;
  const percent = (found.reciprocity * 100).toFixed(1);
  const lines = [
    `${plural(found.nodes, level)}, ${plural(found.links, 'link')} between them, ${percent} % reciprocated`,
    `components: ${count(found.largestWeak)} in the largest of ${count(found.weakComponents)}; strongly connected: ${count(found.largestStrong)} in the largest of ${count(found.strongComponents)}`,
    `bow tie: ${count(bowTie.in)} in, ${count(bowTie.core)} core, ${count(bowTie.out)} out, ${count(bowTie.tendrils)} tendrils, ${count(bowTie.apart)} disconnected`,
  ];
  if (powerLaw)
    lines.push(
      `in-degree follows a power law with exponent ${powerLaw.exponent.toFixed(2)} ± ${powerLaw.uncertainty.toFixed(2)} from ${count(powerLaw.from)} on (${plural(powerLaw.nodes, level)}, distance ${powerLaw.distance.toFixed(3)})`,
    );
  return lines;
}

function nodeColumns(level: string): Column<NodeRow>[] {
  return [
    { title: level, value: ({ name }) => name, wide: true },
    { title: 'harmonic', value: ({ harmonic }) => harmonic.toFixed(1), right: true },
    { title: 'PageRank', value: ({ pageRank }) => pageRank.toPrecision(3), right: true },
    { title: 'linked from', value: ({ inDegree }) => count(inDegree), right: true },
    { title: 'links to', value: ({ outDegree }) => count(outDegree), right: true },
  ];
}

function linesOf(text: string | undefined): number {
  if (text === undefined) return 20;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new WebfarerError('usage', `--limit needs a whole number, not "${text}".`);
}
