import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import { segmentsOption } from '../../folder/absent-results.ts';
import { findFolderFor, shownPath } from '../../folder/folders.ts';
import { collect, type CommandHome } from '../home.ts';
import { clean, painter, type Style } from '../../terminal/text.ts';
import type { Explanation } from '../../crawl/crawl-run.ts';
import { addOptionalAt, asking, findCrawl, reach, type RemoteOptions } from '../remote/remote.ts';

const styles: Record<Explanation['state'], Style> = {
  'out-of-scope': 'warn',
  unknown: 'quiet',
  queued: 'plain',
  'in-flight': 'plain',
  done: 'good',
  failed: 'bad',
  refused: 'warn',
};

interface ExplainOptions extends RemoteOptions {
  folder?: string;
  crawl?: string;
  segments?: string[];
}

export function addExplainCommand({ program, context }: CommandHome): void {
  const command = program
    .command('explain')
    .description('Shows the state of a URL in a crawl and what decided it.')
    .argument('<url>')
    .option('--folder <folder>', 'crawl folder (default: the only one here, or the one of its host)')
    .option(...segmentsOption, collect)
    .option('--crawl <name>', 'with --at: the crawl (default: the only one there)')
    .option('--json', 'as JSON');
  addOptionalAt(command).action(async (url: string, options: ExplainOptions) => {
    const { terminal } = context;
    if (options.crawl !== undefined && options.at === undefined)
      throw new WebfarerError('usage', '--crawl names a crawl of a coordinator, and needs --at.', {
        next: 'Name the folder of a crawl on this machine with --folder.',
      });
    const { told, where } = await (options.at === undefined
      ? explainHere(context, url, options)
      : explainAt(context, url, options));
    if (options.json) return terminal.out(jsonLine(told));
    const paint = painter(terminal.colour);
    terminal.out(`  ${clean(told.url)}   ${paint('quiet', `in ${clean(where)}`)}\n`);
    terminal.out(`  ${paint(styles[told.state], told.state)}${told.code ? ` (${told.code})` : ''}\n`);
    for (const line of told.lines) terminal.out(`    ${clean(line)}\n`);
  });
}

interface Explained {
  told: Pick<Explanation, 'state' | 'lines'> & { url: string; code?: string | undefined };
  where: string;
}

async function explainHere(context: CliContext, url: string, options: ExplainOptions): Promise<Explained> {
  const folder = await findFolderFor(url, options.folder, context.cwd);
  const reader = await context.local.readFolder(folder, options);
  try {
    return { told: await reader.explain(url), where: shownPath(folder, context.cwd) };
  } finally {
    await reader.close();
  }
}

async function explainAt(context: CliContext, url: string, options: ExplainOptions): Promise<Explained> {
  const at = await reach(context, options);
  const ask = async () => {
    const { id: crawl, name } = await findCrawl(context, at, options.crawl);
    const told = await at.api.explainUrl({ params: { crawl }, query: { url } });
    return { told, where: `${name} at ${at.url}` };
  };
  return await asking(context, at, ask());
}
