import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sqlite } from '@webfarer/coordinator';
import {
  cpuShare,
  type DependencyStore,
  fileCheckpoint,
  type Level,
  type MergedDependency,
  type MergedTarget,
  openDependencies,
  parseCpuShare,
  siteJobs,
  updateDependencies,
  usualThreshold,
} from '@webfarer/graph';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { requireWholeFolders } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { count, plural } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';

export interface DepsOptions {
  level: Level;
  from?: string;
  to?: string;
  targets?: boolean;
  threshold?: string;
  db?: string;
  cpuShare?: string;
  limit?: string;
  json?: boolean;
}

/** Between two checkpoints: what a crash costs at most. */
const checkpointMs = 5_000;

export async function showDependencies(
  context: CliContext,
  named: string | undefined,
  options: DepsOptions,
): Promise<void> {
  const threshold = shareOf(options.threshold);
  const limit = linesOf(options.limit);
  const database = named === undefined ? undefined : await databaseAt(resolve(context.cwd, named));
  if (database !== undefined) {
    if (options.db !== undefined || options.cpuShare !== undefined)
      throw new WebfarerError('usage', '--db and --cpu-share are for a crawl folder; this is a database.');
    await withStore(database, async (store) => show(context, store, { ...options, threshold, limit }));
    return;
  }
  const folder = await findFolder(named, context.cwd);
  const file =
    options.db === undefined ? join(folder, 'dependencies.sqlite') : resolve(context.cwd, options.db);
  await withStore(file, async (store) => {
    await update(context, store, { folder, threshold: threshold ?? usualThreshold, options });
    show(context, store, { ...options, threshold, limit });
    if (!options.json) context.terminal.out(`\n  the database: ${shownPath(file, context.cwd)}\n`);
  });
  await requireWholeFolders(context, [folder]);
}

async function databaseAt(path: string): Promise<string | undefined> {
  return (await stat(path).catch(() => undefined))?.isFile() ? path : undefined;
}

export async function withStore(
  file: string,
  work: (store: DependencyStore) => Promise<void>,
): Promise<void> {
  let store: DependencyStore;
  try {
    store = openDependencies(file, sqlite());
  } catch (error) {
    throw new WebfarerError('storage', `${file} cannot be used as a database: ${(error as Error).message}`, {
      next: 'Name a crawl folder, a database that graph deps has made, or another file with --db.',
      cause: error,
    });
  }
  try {
    await work(store);
  } finally {
    store.close();
  }
}

interface UpdateRequest {
  folder: string;
  threshold: number;
  options: Pick<DepsOptions, 'cpuShare' | 'json'>;
}

/** Brings the database up to date with what the folder holds. */
export async function update(
  { local, clock, terminal }: CliContext,
  store: DependencyStore,
  { folder, threshold, options: { cpuShare: share, json } }: UpdateRequest,
): Promise<void> {
  const rest = share === undefined ? undefined : cpuShare(parseCpuShare(share), clock);
  const reader = await local.readFolder(folder);
  try {
    const { crawl, results } = reader;
    const { jobs, computed } = await updateDependencies({
      crawl,
      store,
      threshold,
      pages: { records: () => results.records(crawl), edges: () => results.edges(crawl) },
      jobs: siteJobs(reader.job.scope.stay, reader.seeds),
      checkpoint: fileCheckpoint(join(folder, 'dependencies.checkpoint'), { clock, everyMs: checkpointMs }),
      ...(rest ? { rest } : {}),
    });
    if (!json) terminal.out(`\n  ${plural(jobs, 'job')} in this crawl, ${count(computed)} computed now\n`);
  } finally {
    await reader.close();
  }
}

type ShowOptions = Omit<DepsOptions, 'threshold' | 'limit'> & {
  threshold: number | undefined;
  limit: number;
};

function show(context: CliContext, store: DependencyStore, options: ShowOptions): void {
  const { level, from, to, threshold, limit, targets } = options;
  const question = {
    level,
    limit,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(threshold === undefined ? {} : { threshold }),
  };
  if (targets) {
    const found = store.targets(question);
    printRows(context, found, targetColumns, options);
    return;
  }
  if (options.json)
    for (const source of store.sources(question))
      context.terminal.out(jsonLine({ kind: 'source', ...source }));
  printRows(context, store.dependencies(question), dependencyColumns, options);
}

function printRows<Row extends object>(
  { terminal }: CliContext,
  { rows, total }: { rows: Row[]; total: number },
  columns: Column<Row>[],
  { json, level }: ShowOptions,
): void {
  if (json) {
    for (const row of rows) terminal.out(jsonLine({ kind: 'dependency', level, ...row }));
    return;
  }
  if (rows.length === 0) {
    terminal.out('\n  no dependencies: no link leads out, or all shares are below the threshold\n');
    return;
  }
  const paint = painter(terminal.colour);
  terminal.out('\n');
  for (const line of tableLines(rows, columns, { columns: usableColumns(terminal), paint }))
    terminal.out(`${line}\n`);
  if (total > rows.length) terminal.out(`  … and ${count(total - rows.length)} more: --limit ${total}\n`);
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.0995 ? 2 : 1)} %`;

const dependencyColumns: Column<MergedDependency>[] = [
  { title: 'from', value: ({ source }) => source, wide: true },
  { title: 'to', value: ({ target }) => target, wide: true },
  { title: 'share', value: ({ share }) => percent(share), right: true },
  { title: 'pages', value: ({ pages }) => count(pages), right: true },
  { title: 'links', value: ({ links }) => count(links), right: true },
  { title: 'reachable from', value: ({ reachable }) => percent(reachable), right: true },
];

const targetColumns: Column<MergedTarget>[] = [
  { title: 'to', value: ({ target }) => target, wide: true },
  { title: 'sources', value: ({ sources }) => count(sources), right: true },
  { title: 'sum of shares', value: ({ share }) => share.toFixed(3), right: true },
  { title: 'at most more', value: ({ error }) => error.toFixed(3), right: true },
];

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share < 1) return share;
  throw new WebfarerError('usage', `--threshold needs a share from 0 to below 1, not "${text}".`, {
    next: 'For example --threshold 0.01, or 1 % of the outgoing navigation.',
  });
}

function linesOf(text: string | undefined): number {
  if (text === undefined) return 50;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new WebfarerError('usage', `--limit needs a whole number, not "${text}".`);
}
