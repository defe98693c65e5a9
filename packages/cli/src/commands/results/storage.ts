import { tmpdir } from 'node:os';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { type ObjectPlace, parseDuration } from '@webfarer/protocol/job';
import type { CliContext } from '../../context/context.ts';
import { findFolder } from '../../folder/folders.ts';
import {
  isObjectAddress,
  objectsOf,
  placeAt,
  type PlaceOptions,
  placeOptions,
} from '../../folder/object-places.ts';
import { bytes, count, plural } from '../../terminal/format.ts';
import { padEnd, padStart, painter } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';

const placeArgument = 'crawl folder, or s3:// address of a crawl (default: the only crawl folder here)';

export function addStorageCommand({ program, context, exit }: CommandHome): void {
  const storage = program
    .command('storage')
    .description('Looks after the archive that a crawl keeps in object storage.')
    .helpCommand(false);
  storage
    .command('ls')
    .description('lists its files, complete ones and those that workers are writing')
    .argument('[place]', placeArgument)
    .option('--json', 'as JSON lines')
    .option(...placeOptions[0])
    .option(...placeOptions[1])
    .action((named: string | undefined, options: ListOptions) => list(context, named, options));
  storage
    .command('tidy')
    .description('completes what workers left that are gone, and removes what is no longer needed')
    .argument('[place]', placeArgument)
    .option('--grace <time>', 'leave alone what was written less than this long ago', '1d')
    .option('--json', 'as JSON')
    .option(...placeOptions[0])
    .option(...placeOptions[1])
    .action(async (named: string | undefined, options: TidyOptions) =>
      exit(await tidy(context, named, options)),
    );
}

interface ListOptions extends PlaceOptions {
  json?: boolean;
}

interface TidyOptions extends ListOptions {
  grace: string;
}

async function placeOf(
  { cwd }: CliContext,
  named: string | undefined,
  options: PlaceOptions,
): Promise<ObjectPlace> {
  if (named !== undefined && isObjectAddress(named)) return placeAt(named, options);
  const folder = await findFolder(named, cwd);
  const place = await objectsOf(folder);
  if (place) return place;
  throw new WebfarerError('usage', 'This crawl keeps its archive in folders, not in object storage.', {
    next: 'Jobs say where with save: [{ warc: { at: s3://BUCKET/PREFIX } }]. See docs/object-storage.md',
  });
}

async function list(context: CliContext, named: string | undefined, options: ListOptions): Promise<void> {
  const { terminal } = context;
  const place = await placeOf(context, named, options);
  const { openObjectStore, storedFiles } = await import('@webfarer/worker');
  const store = await openObjectStore(place);
  const files = await storedFiles(store);
  if (!options.json) terminal.out(`  ${place.address}   ${plural(files.length, 'file')}\n`);
  for (const { name, bytes: size, object, chunks, behindGap } of files) {
    const state = object?.bytes === size ? 'complete' : `open, ${plural(chunks.length, 'chunk')}`;
    const gap = behindGap > 0 ? `, ${bytes(behindGap)} behind a missing chunk` : '';
    terminal.out(
      options.json
        ? jsonLine({
            file: name,
            bytes: size,
            complete: object?.bytes === size,
            chunks: chunks.length,
            behindGap,
          })
        : `  ${padStart(bytes(size), 8)}  ${padEnd(state + gap, 20)}  ${name}\n`,
    );
  }
  store.close();
}

async function tidy(context: CliContext, named: string | undefined, options: TidyOptions): Promise<number> {
  const { terminal, clock } = context;
  const graceMs = options.grace === '0' ? 0 : parseDuration(options.grace);
  if (graceMs === undefined)
    throw new WebfarerError('usage', `--grace needs a time such as 1h or 2d, or 0, not "${options.grace}".`);
  const place = await placeOf(context, named, options);
  const { openObjectStore, tidyObjects } = await import('@webfarer/worker');
  const store = await openObjectStore(place);
  const report = await tidyObjects({ store, nowMs: clock.now(), graceMs, scratch: tmpdir() });
  store.close();
  if (options.json) {
    terminal.out(jsonLine(report));
    return report.gaps.length > 0 ? 6 : 0;
  }
  const paint = painter(terminal.colour);
  terminal.out(
    `  ${paint('good', '✓')} ${place.address}: ${plural(report.joined, 'file')} completed, ${count(report.chunksRemoved)} chunks and ${count(report.objectsRemoved)} objects removed, ${plural(report.uploadsAborted, 'upload')} aborted\n`,
  );
  if (report.open > 0)
    terminal.out(
      `    ${plural(report.open, 'file is', 'files are')} being written; --grace says when that counts as abandoned\n`,
    );
  for (const { file, at, bytesBehind } of report.gaps)
    terminal.out(
      `  ${paint('bad', '✗')} ${file}: a chunk is missing at byte ${at}; the ${bytes(bytesBehind)} behind it are left as they are\n`,
    );
  return report.gaps.length > 0 ? 6 : 0;
}
