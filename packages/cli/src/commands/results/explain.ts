import { jsonLine } from '@webfarer/protocol/crawl';
import { segmentsOption } from '../../folder/absent-results.ts';
import { findFolderFor, shownPath } from '../../folder/folders.ts';
import { collect, type CommandHome } from '../home.ts';
import { clean, painter, type Style } from '../../terminal/text.ts';
import type { Explanation } from '../../crawl/crawl-run.ts';

const styles: Record<Explanation['state'], Style> = {
  'out-of-scope': 'warn',
  unknown: 'quiet',
  queued: 'plain',
  'in-flight': 'plain',
  done: 'good',
  failed: 'bad',
  refused: 'warn',
};

export function addExplainCommand({ program, context }: CommandHome): void {
  program
    .command('explain')
    .summary('why a URL was crawled, or why not')
    .description('Shows the state of a URL in a crawl and what decided it.')
    .argument('<url>')
    .option('--folder <folder>', 'crawl folder (default: the only one here, or the one of its host)')
    .option(...segmentsOption, collect)
    .option('--json', 'as JSON')
    .action(async (url: string, options: { folder?: string; json?: boolean; segments?: string[] }) => {
      const { terminal } = context;
      const folder = await findFolderFor(url, options.folder, context.cwd);
      const reader = await context.local.readFolder(folder, options);
      try {
        const told = await reader.explain(url);
        if (options.json) return terminal.out(jsonLine(told));
        const paint = painter(terminal.colour);
        terminal.out(`  ${clean(told.url)}   ${paint('quiet', `in ${shownPath(folder, context.cwd)}`)}\n`);
        terminal.out(`  ${paint(styles[told.state], told.state)}${told.code ? ` (${told.code})` : ''}\n`);
        for (const line of told.lines) terminal.out(`    ${clean(line)}\n`);
      } finally {
        await reader.close();
      }
    });
}
