import { once } from 'node:events';
import { resolve } from 'node:path';
import { type RenditionKind, type SavedAt, WebfarerError } from '@webfarer/protocol';
import { jsonLine, renditionKinds } from '@webfarer/protocol/crawl';
import { normaliser } from '@webfarer/protocol/url';
import {
  type CapturePart,
  type CapturePlace,
  catWarc,
  listWarc,
  openArchive,
  ownCaptures,
  repairWarc,
  validateWarc,
  type WarcListing,
} from '@webfarer/worker/archive';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { validateWacz, type WaczCheck } from '../../export/wacz-validate.ts';
import { ZipReader } from '../../export/zip-reader.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { bytes, plural } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { clean, padEnd, padStart, painter } from '../../terminal/text.ts';
import { placeOptions, type PlaceOptions } from '../../folder/object-places.ts';
import { type WarcFile, warcFiles } from '../../folder/warc-files.ts';
import type { CommandHome } from '../home.ts';

const filesArgument =
  'WARC or WACZ files, crawl folders, or s3:// addresses of crawls (default: the only crawl here)';

export function addWarcCommand({ program, context, exit }: CommandHome): void {
  const warc = program
    .command('warc')
    .description('Looks into the archive of a crawl, or into any WARC file.')
    .helpCommand(false);
  warc
    .command('ls')
    .description('lists the records')
    .argument('[file-or-folder...]', filesArgument)
    .option('--json', 'as JSON lines')
    .option(...placeOptions[0])
    .option(...placeOptions[1])
    .action((named: string[], options: ListOptions) => list(context, named, options));
  warc
    .command('cat')
    .description('prints what was saved of a URL, or the record at an offset')
    .argument('<url-or-file>', 'a URL, or a WARC file together with --offset')
    .option('--offset <byte>', 'byte offset of the record, as shown by ls')
    .option('--folder <folder>', 'crawl folder (default: the only one here)')
    .addOption(
      new Option('--part <part>', 'body (decoded), payload (as sent), block (with the HTTP head) or record')
        .choices(parts)
        .default('body'),
    )
    .addOption(
      new Option(
        '--rendition <kind>',
        'what a browser made of the page: its elements, a picture or a PDF',
      ).choices(renditionKinds),
    )
    .action((what: string, options: CatOptions) => cat(context, what, options));
  warc
    .command('validate')
    .description('reads every byte and recomputes every digest')
    .argument('[file-or-folder...]', filesArgument)
    .option(...placeOptions[0])
    .option(...placeOptions[1])
    .action(async (named: string[], options: PlaceOptions) => exit(await validate(context, named, options)));
  warc
    .command('repair')
    .description('copies the intact records of a damaged file to a new one')
    .argument('<file>')
    .option('--to <file>', 'the new file (….repaired.warc.gz, in the folder of the crawl)')
    .action((file: string, options: { to?: string }) => repair(context, file, options.to));
}

interface ListOptions extends PlaceOptions {
  json?: boolean;
}

async function list({ terminal, cwd }: CliContext, named: string[], options: ListOptions): Promise<void> {
  const { json } = options;
  for (const file of await warcFiles(named, cwd, options)) {
    for (const { inside, ...place } of await placesIn(file)) {
      const shown = `${file.shown}${inside}`;
      if (!json) terminal.out(`  ${shown}\n`);
      for await (const listing of listWarc(file.open, place))
        terminal.out(json ? jsonLine({ file: shown, ...listing }) : `${recordLine(listing)}\n`);
    }
  }
}

/** A WARC file as it is, or those inside a WACZ, which holds them uncompressed. */
async function placesIn({ open }: WarcFile): Promise<{ inside: string; from?: number; to?: number }[]> {
  if (!isWacz(open)) return [{ inside: '' }];
  const zip = await ZipReader.open(open);
  try {
    return [...zip.entries.values()]
      .filter(({ name }) => /^archive\/.*\.warc(\.gz)?$/.test(name))
      .map(({ name, start, bytes: size }) => ({ inside: `/${name}`, from: start, to: start + size }));
  } finally {
    await zip.close();
  }
}

function isWacz(open: WarcFile['open']): open is string {
  return typeof open === 'string' && open.endsWith('.wacz');
}

function recordLine({ offset, length, type, date, url, status }: WarcListing): string {
  const place = `${padStart(String(offset), 10)}  ${padStart(bytes(length), 6)}`;
  return `  ${place}  ${padEnd(clean(type), 8)}  ${padEnd(String(status ?? ''), 3)}  ${clean(date)}  ${clean(url ?? '')}`.trimEnd();
}

const parts: CapturePart[] = ['body', 'payload', 'block', 'record'];

interface CatOptions {
  offset?: string;
  folder?: string;
  part: CapturePart;
  rendition?: RenditionKind;
}

async function cat(context: CliContext, what: string, options: CatOptions): Promise<void> {
  const { offset, part } = options;
  const pieces =
    offset === undefined
      ? await openCapture(context, what, options)
      : catWarc({ file: resolve(context.cwd, what), offset: byte(offset), part });
  for await (const piece of pieces) {
    if (!context.stdout.write(piece)) await once(context.stdout, 'drain');
  }
}

function byte(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new WebfarerError('usage', `--offset needs a number of bytes, not "${text}".`);
}

/** Found by the records of the crawl, so that only what was committed is shown. */
async function openCapture(
  context: CliContext,
  text: string,
  options: CatOptions,
): Promise<AsyncIterable<Buffer>> {
  const { part } = options;
  const folder = await findFolder(options.folder, context.cwd);
  const reader = await context.local.readFolder(folder);
  try {
    const url = normaliser(reader.job.normalise)(text);
    for await (const record of ownCaptures(reader.results.records(reader.crawl), reader.member)) {
      const found = record.url === url ? record : record.resources?.find((loaded) => loaded.url === url);
      const saved = found?.saved?.find((at) => at.offset !== undefined && /\.warc(?:\.gz)?$/.test(at.file));
      if (!found || !saved) continue;
      const held = options.rendition ? placeOf(saved, options.rendition) : holder(saved, part);
      if (held) return openArchive(folder, reader.objects).read(held, part);
      if (reader.previous === undefined) throw elsewhere(found.url);
      return await openCapture(context, found.url, { ...options, folder: reader.previous });
    }
  } finally {
    await reader.close();
  }
  throw new WebfarerError('not-found', `${text} is not in the archive.`, {
    next: `Why:  ${context.launcher} explain ${text}`,
  });
}

function placeOf({ file, offset = 0, renditions = [] }: SavedAt, wanted: RenditionKind): CapturePlace {
  const made = renditions.find(({ kind }) => kind === wanted);
  if (made) return { file, offset: offset + made.after, length: made.length };
  const kinds = renditions.map(({ kind }) => kind).join(', ');
  throw new WebfarerError('not-found', `The archive has no ${wanted} of this page.`, {
    next: kinds === '' ? 'It was not shown in a browser: docs/rendering.md' : `It has ${kinds}.`,
  });
}

/** The record that holds what is asked for; the body of a revisit may be in the archive of an earlier crawl. */
function holder(saved: SavedAt, part: CapturePart): CapturePlace | undefined {
  if (!saved.revisit || part === 'record' || part === 'block') return saved;
  return saved.revisit.original;
}

function elsewhere(url: string): WebfarerError {
  return new WebfarerError('not-found', `${url} is unchanged since an earlier crawl, which holds its body.`, {
    next: 'Name the folder of that crawl with --folder, or print this response with --part block',
  });
}

/** Damage is storage trouble: exit 6. */
async function validate(
  { terminal, cwd, launcher }: CliContext,
  named: string[],
  options: PlaceOptions,
): Promise<number> {
  const paint = painter(terminal.colour);
  let damaged = 0;
  for (const { shown, open } of await warcFiles(named, cwd, options)) {
    if (isWacz(open)) {
      if (!showWacz(await validateWacz(open), shown, terminal)) damaged++;
      continue;
    }
    const check = await validateWarc(open);
    if (check.ok) {
      terminal.out(
        `  ${paint('good', '✓')} ${shown}: ${plural(check.records, 'record')}, ${plural(check.digests, 'digest')} verified\n`,
      );
      continue;
    }
    damaged++;
    terminal.out(`  ${paint('bad', '✗')} ${shown}: ${plural(check.records, 'intact record')}\n`);
    for (const { offset, text } of check.problems.slice(0, 20))
      terminal.out(`      at byte ${offset}: ${clean(text)}\n`);
    // A wrong digest or field is copied as it is; only damage to the structure can be cut out.
    const broken = check.problems.some(({ offset }) => offset >= check.soundUntil);
    if (broken) terminal.out(`    recover the intact records:  ${launcher} warc repair ${shown}\n`);
  }
  return damaged > 0 ? 6 : 0;
}

function showWacz(check: WaczCheck, shown: string, terminal: Terminal): boolean {
  const paint = painter(terminal.colour);
  const mark = check.ok ? paint('good', '✓') : paint('bad', '✗');
  terminal.out(
    `  ${mark} ${shown}: ${plural(check.entries, 'file')}, ${plural(check.captures, 'capture')}, ${plural(check.pages, 'page')}\n`,
  );
  for (const text of check.problems.slice(0, 20)) terminal.out(`      ${clean(text)}\n`);
  return check.ok;
}

async function repair({ terminal, cwd }: CliContext, file: string, to: string | undefined): Promise<void> {
  const result = await repairWarc(resolve(cwd, file), ...(to === undefined ? [] : [resolve(cwd, to)]));
  terminal.out(
    `  ${plural(result.kept, 'intact record')} in ${shownPath(result.output, cwd)}; ${shownPath(file, cwd)} is unchanged\n`,
  );
  for (const { offset, length, text } of result.dropped) {
    terminal.out(`    left out ${bytes(length)} at byte ${offset}: ${clean(text)}\n`);
  }
}
