import { basename, join } from 'node:path';
import type { CliContext } from '../context/context.ts';
import { findFolder } from '../folder/folders.ts';
import { plural } from '../terminal/format.ts';
import { clean } from '../terminal/text.ts';
import type { CommandHome } from './home.ts';
import { runPlan } from './run.ts';
import { localConsole, outerLadder, sayLink, staysUntilEnded, type UiOptions } from './ui.ts';

export function addConsoleCommand({ program, context, exit }: CommandHome): void {
  program
    .command('console')
    .description(
      'Opens the web console on the crawl of a folder and prints a link that works once. A finished crawl is shown as it is; any other is opened paused, and resumes when you say so there.',
    )
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--ui-port <n>', 'port of 127.0.0.1 to use (a free one)')
    .option('--ui-open', 'also open the link, where there is a desktop')
    .action(async (named: string | undefined, options: UiOptions) => {
      exit(await lookAt(context, await findFolder(named, context.cwd), options));
    });
}

async function lookAt(context: CliContext, folder: string, options: UiOptions): Promise<number> {
  const { terminal, ledger } = context;
  const plan = await runPlan(context, join(folder, 'crawl.json'), { out: folder });
  const console = await localConsole(context, options);
  const ladder = outerLadder(context, console);
  try {
    const { run, resumed } = await console.open({
      ...plan.open,
      paused: true,
      ...(ledger ? { ledger } : {}),
    });
    ladder.opened();
    const { state, balance } = await run.snapshot();
    terminal.out(
      `  ${clean(basename(folder))}: ${state}, ${plural(balance.done, 'URL')} done, ${balance.queued} queued\n`,
    );
    if (resumed && state === 'paused') terminal.out('  It requests nothing until you resume it there.\n');
    await sayLink(context, { console, options, json: false });
    await staysUntilEnded(context, { console, what: 'The console stays open' });
    return 0;
  } finally {
    await console.stop();
    ladder.end();
  }
}
