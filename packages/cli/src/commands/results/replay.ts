import { basename, dirname, join } from 'node:path';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { isModule, loadModule } from '../../handlers/load-module.ts';
import {
  type ReplayCounts,
  type ReplayedCode,
  type ReplaySummary,
  replayWith,
} from '../../handlers/replay.ts';
import { count, plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { readJobFile } from '../run.ts';

interface ReplayCommandOptions {
  out?: string;
  json?: boolean;
  quiet?: boolean;
}

/** Pages between two lines of progress. */
const progressPages = 1_000;

export function addReplayCommand({ program, context, exit }: CommandHome): void {
  program
    .command('replay')
    .description(
      'Runs the handler of a module or a job file over the stored pages of a crawl and writes its items into a new folder. Nothing is requested, and the crawl is not changed.',
    )
    .argument('<job>', 'module that exports onPage or job (.ts, .js), or a job file that names a scraper')
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--out <folder>', 'where the items go (default: NAME.replay beside NAME.crawl)')
    .option('--json', 'the counts as JSON')
    .option('--quiet', 'only the summary')
    .action(async (file: string, named: string | undefined, options: ReplayCommandOptions) => {
      const folder = await findFolder(named, context.cwd);
      const loaded = await codeIn(file, context.cwd);
      const stop = new AbortController();
      const unlisten = context.onInterrupt(() => stop.abort());
      try {
        const summary = await replayWith(folder, loaded, {
          to: options.out ?? replayFolder(folder),
          signal: stop.signal,
          ...(options.quiet || options.json ? {} : { onProgress: progressOn(context) }),
        });
        if (options.json) context.terminal.out(jsonLine(summary));
        else showSummary(context, summary);
        if (summary.failed > 0) exit(4);
      } finally {
        unlisten();
      }
    });
}

/** The handler, and of a job file its rules too. */
async function codeIn(file: string, cwd: string): Promise<ReplayedCode> {
  if (isModule(file)) return { hooks: await loadModule(file, cwd) };
  const { job, path } = await readJobFile(file, cwd);
  return { hooks: {}, job, baseFolder: dirname(path) };
}

function replayFolder(folder: string): string {
  return join(dirname(folder), `${basename(folder).replace(/\.crawl$/, '')}.replay`);
}

function progressOn({ terminal }: CliContext): (counts: ReplayCounts) => void {
  return ({ pages, items, failed }) => {
    if (pages > 0 && pages % progressPages === 0)
      terminal.err(`  ${count(pages)} pages   ${plural(items, 'item')}   ${count(failed)} failed\n`);
  };
}

function showSummary({ terminal, cwd, launcher }: CliContext, summary: ReplaySummary): void {
  const { pages, items, droppedItems, failed, notStored, followed, to } = summary;
  const file = (name: string) => clean(shownPath(join(to, name), cwd));
  const out = (line: string) => terminal.out(`  ${line}\n`);
  out(`${plural(pages, 'page')} replayed, 0 requests`);
  out(`${plural(items, 'item')} in ${file('items.jsonl')}`);
  if (droppedItems > 0) out(`${plural(droppedItems, 'item')} dropped by onItem`);
  out(`${plural(followed, 'link')} followed: counted, not fetched`);
  if (failed > 0) out(`${plural(failed, 'page')} failed: see ${file('problems.jsonl')}`);
  if (notStored > 0)
    out(
      `${plural(notStored, 'page has', 'pages have')} no stored body: see ${file('problems.jsonl')}. ${launcher} retry fetches pages again`,
    );
}
