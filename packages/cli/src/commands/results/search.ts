import { jsonLine } from '@webfarer/protocol/crawl';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { searchCrawl } from '../../search/search-crawl.ts';
import { count, plural } from '../../terminal/format.ts';
import { clean, painter } from '../../terminal/text.ts';
import { type CommandHome, lineLimit } from '../home.ts';

export function addSearchCommand({ program, context }: CommandHome): void {
  program
    .command('search')
    .description(
      'Searches the main content of the pages that a crawl has saved, without navigation and the like, best first. All words must be on a page; "several words" in this order, begin* for the beginning of a word, -word for pages without it. The index is made on first use and kept in search.db of the folder.',
    )
    .argument('<folder>', 'crawl folder')
    .argument('<words...>')
    .option('--limit <n>', 'pages to list (10)')
    .option('--json', 'as JSON')
    .action(async (named: string, words: string[], options: { limit?: string; json?: boolean }) => {
      const { terminal, cwd } = context;
      const folder = await findFolder(named, cwd);
      const paint = painter(terminal.colour);
      const answer = await searchCrawl(folder, queryOf(words), {
        limit: lineLimit(options.limit, 10),
      });
      if (options.json) return terminal.out(jsonLine({ folder, ...answer }));
      for (const { url, title, snippet } of answer.hits) {
        terminal.out(`  ${paint('strong', clean(title || url))}\n`);
        terminal.out(`  ${paint('link', clean(url))}\n`);
        terminal.out(`    ${clean(snippet)}\n\n`);
      }
      const shown = answer.hits.length < answer.total ? `, ${count(answer.hits.length)} shown` : '';
      terminal.out(
        `  ${plural(answer.total, 'page')} of ${count(answer.pages)} in ${shownPath(folder, cwd)}${shown}\n`,
      );
    });
}

/** Words that the shell has kept together are meant in this order. */
function queryOf(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' ');
}
