import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { sqlite } from '@webfarer/coordinator';
import { exportCsv, exportJsonl } from '@webfarer/graph';
import { WebfarerError } from '@webfarer/protocol';
import { writeWhole } from '@webfarer/protocol/node';
import { writeMirror } from '@webfarer/worker/mirror';
import { segmentsOption } from '../../folder/absent-results.ts';
import { countCaptures, requireCaptures, requireWhole } from '../../folder/completeness.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { openEarlier, sourceOf } from '../../folder/earlier-crawls.ts';
import { itemChangeKinds } from '../../folder/item-changes-file.ts';
import { exportItems } from '../../folder/items-csv.ts';
import type { FolderReader, ItemChange } from '../../crawl/local-port.ts';
import { writeWacz } from '../../export/wacz.ts';
import { bytes, plural } from '../../terminal/format.ts';
import { exportGraph, exportParquet } from './export-tables.ts';
import { needsRecrawl } from './report-changes.ts';
import { collect, type CommandHome } from '../home.ts';

export interface ExportOptions {
  csv?: boolean;
  jsonl?: boolean;
  items?: boolean;
  changes?: string | true;
  wacz?: string;
  mirror?: string;
  parquet?: string | true;
  graphml?: string;
  graphJson?: string;
  to?: string;
  segments?: string[];
}

export function addExportCommand({ program, context }: CommandHome): void {
  program
    .command('export')
    .description(
      'Writes one line per URL with its outcome, the items that a scraper found, all of it as tables, the graph of hosts, or the whole archive as one file.',
    )
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--csv', 'CSV, for spreadsheets')
    .option('--jsonl', 'JSON lines, for programs')
    .option('--items', 'the items instead of the URLs')
    .option(
      '--changes [kinds]',
      'with --items after a recrawl: each item marked new, changed, same or gone; new,gone for only those',
    )
    .option('--wacz <file>', 'the archive with index and pages in one file, for replay tools')
    .option('--mirror <folder>', 'a copy that opens offline in a browser, of what is in the archive')
    .option('--parquet [folder]', 'all tables as Parquet files (parquet/ in the folder)')
    .option('--graphml <file>', 'who links to whom, by host, for Gephi, igraph and NetworkX')
    .option('--graph-json <file>', 'the same as JSON')
    .option('--to <file>', 'output file; - is stdout (default: a file in the crawl folder)')
    .option(...segmentsOption, collect)
    .action(async (named: string | undefined, options: ExportOptions) => {
      checkFormat(options);
      const folder = await findFolder(named, context.cwd);
      const reader = await context.local.readFolder(folder, options);
      try {
        if (options.changes !== undefined) needsRecrawl(reader, context.launcher);
        if (options.wacz !== undefined)
          return await exportWacz(context, reader, { folder, file: resolve(context.cwd, options.wacz) });
        else if (options.mirror !== undefined)
          await exportMirror(context, reader, { folder, to: resolve(context.cwd, options.mirror) });
        else if (options.parquet !== undefined)
          await exportParquet(context, reader, { folder, to: options.parquet });
        else if (options.graphml !== undefined || options.graphJson !== undefined)
          await exportGraph(context, reader, options);
        else return await exportFolder(context, reader, { ...options, folder });
        await requireWhole(reader);
      } finally {
        await reader.close();
      }
    });
}

function checkFormat(options: ExportOptions): void {
  const { csv, jsonl, items, changes, wacz, mirror, parquet, graphml, graphJson } = options;
  const alone = Object.entries({ wacz, mirror, parquet, graphml, graphJson }).filter(
    ([, value]) => value !== undefined,
  );
  if (alone.length > 1 || (alone.length === 1 && (csv || jsonl || items)))
    throw new WebfarerError('usage', 'Only one format can be written at a time.', {
      next: '--wacz, --mirror, --parquet, --graphml and --graph-json cannot be combined.',
    });
  if (changes !== undefined && !items)
    throw new WebfarerError('usage', '--changes marks items: give --items too.', {
      next: 'What changed of the pages:  webfarer report --changes',
    });
  marksOf(changes);
  if (csv && jsonl) throw new WebfarerError('usage', 'Either --csv or --jsonl, not both.');
  if (alone.length === 0 && !csv && !jsonl && !items)
    throw new WebfarerError('usage', 'Which format?', {
      next: 'One of --csv, --jsonl, --items, --parquet, --graphml <file>, --graph-json <file>, --wacz <file>, --mirror <folder>',
    });
}

async function exportMirror(
  { terminal, cwd, local }: CliContext,
  reader: FolderReader,
  { folder, to }: { folder: string; to: string },
): Promise<void> {
  const captures = await countCaptures(folder, reader);
  if (captures.here === 0) requireCaptures(captures);
  const earlier = await openEarlier(reader.previous, local.readFolder);
  try {
    const { files } = await writeMirror({
      sources: [sourceOf(folder, reader), ...earlier.sources],
      to,
      job: reader.job,
      sqlite: sqlite(),
    });
    terminal.out(`  ${plural(files, 'file')}; open ${shownPath(join(to, 'index.html'), cwd)}\n`);
  } finally {
    await earlier.close();
  }
  requireCaptures(captures);
}

async function exportFolder(
  context: CliContext,
  reader: FolderReader,
  options: ExportOptions & { folder: string },
): Promise<void> {
  const what = options.items ? 'items' : 'results';
  if (options.to === '-')
    return await requireWhole(reader, { what, count: await writeTo(context.stdout, reader, options) });
  const kind = options.items ? (options.changes === undefined ? 'items' : 'item-changes') : 'results';
  const name = `${kind}.${options.jsonl ? 'jsonl' : 'csv'}`;
  const file = options.to === undefined ? join(options.folder, name) : resolve(context.cwd, options.to);
  const lines = await writeWhole(file, (out) => writeTo(out, reader, options));
  context.terminal.out(
    `  ${plural(lines, options.items ? 'item' : 'URL')} in ${shownPath(file, context.cwd)}\n`,
  );
  await requireWhole(reader, { what, count: lines });
}

async function exportWacz(
  context: CliContext,
  reader: FolderReader,
  { folder, file }: { folder: string; file: string },
): Promise<void> {
  const { terminal, clock, cwd, version, local } = context;
  const captures = await countCaptures(folder, reader);
  if (captures.here === 0) requireCaptures(captures);
  const earlier = await openEarlier(reader.previous, local.readFolder);
  try {
    const made = await writeWacz({
      sources: [sourceOf(folder, reader), ...earlier.sources],
      file,
      title: reader.job.name,
      software: `webfarer/${version}`,
      nowMs: clock.now(),
    });
    const size = `${plural(made.pages, 'page')}, ${plural(made.captures, 'capture')}, ${bytes(made.bytes)}`;
    terminal.out(`  ${size} in ${shownPath(file, cwd)}\n`);
    if (made.crawls > 1)
      terminal.out(`  with ${plural(made.crawls - 1, 'earlier crawl')}, for what is unchanged\n`);
    if (made.elsewhere > 0) {
      const unchanged = plural(made.elsewhere, 'URL is', 'URLs are');
      terminal.out(
        `  ${unchanged} unchanged since a crawl that is not available here: replay needs its archive too\n`,
      );
    }
  } finally {
    await earlier.close();
  }
  requireCaptures(captures);
  await requireWhole(reader);
}

/** `new,gone`, or all kinds. */
function marksOf(changes: string | true | undefined): Set<ItemChange['change']> | undefined {
  if (changes === undefined) return undefined;
  if (changes === true) return new Set(itemChangeKinds);
  const kinds = changes.split(',').map((word) => word.trim());
  const unknown = kinds.find((word) => !itemChangeKinds.some((kind) => kind === word));
  if (unknown === undefined) return new Set(kinds as ItemChange['change'][]);
  throw new WebfarerError('usage', `--changes: ${JSON.stringify(unknown)} is not a kind of change.`, {
    next: `One or more of ${itemChangeKinds.join(', ')}, separated by commas.`,
  });
}

function writeTo(out: Writable, reader: FolderReader, options: ExportOptions): Promise<number> {
  const { items, jsonl } = options;
  const marks = marksOf(options.changes);
  if (items) return exportItems(reader, out, { format: jsonl ? 'jsonl' : 'csv', ...(marks && { marks }) });
  const records = reader.results.records(reader.crawl);
  return jsonl ? exportJsonl(records, out) : exportCsv(records, out);
}
