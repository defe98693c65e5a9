import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../context/context.ts';
import type { StatusSource } from '../network/find-status.ts';
import { createCanvas } from '../terminal/canvas.ts';
import { networkLines } from '../view/network-lines.ts';
import { usableColumns } from '../terminal/terminal.ts';
import { clean } from '../terminal/text.ts';
import type { CommandHome } from './home.ts';

const EVERY_MS = 1_000;

export function addTopCommand({ program, context }: CommandHome): void {
  program
    .command('top')
    .summary('watch a coordinator: its workers, its rate and what it waits for')
    .description('Shows what status shows of a coordinator, once a second, until q or Ctrl-C.')
    .argument('[folder|url]', '--data folder of a coordinator (default: the only one here), or its URL')
    .option('--token-file <file>', "for an address: the coordinator's operator.token (or WEBFARER_TOKEN)")
    .action(async (named: string | undefined, { tokenFile }: { tokenFile?: string }) => {
      if (!context.terminal.live)
        throw new WebfarerError('usage', 'top needs a terminal that can be redrawn.', {
          next: 'For a single look use  webfarer status,  for programs with --json.',
        });
      const { findStatus } = await import('../network/find-status.ts');
      const source = await findStatus(context, named, tokenFile);
      if (!source)
        throw new WebfarerError('not-found', 'There is no data folder of a coordinator here.', {
          next: 'Name the --data folder or the URL of one. A local crawl shows its progress in its own terminal.',
        });
      await watch(context, source);
    });
}

async function watch(context: CliContext, source: StatusSource): Promise<void> {
  const { terminal, clock } = context;
  const canvas = createCanvas(terminal);
  const over = new AbortController();
  const leave = () => over.abort();
  const ends = [context.onInterrupt(leave), context.onKey?.((key) => void (key === 'q' && leave()))];
  let last: string[] = [];
  try {
    while (!over.signal.aborted) {
      last = await linesOf(context, source);
      if (!over.signal.aborted) canvas.draw(last);
      await clock.sleep(EVERY_MS, over.signal).catch(() => undefined);
    }
  } finally {
    // What was seen last stays on the screen.
    canvas.end(last);
    for (const end of ends) end?.();
  }
}

/** An unreachable coordinator may come back; a wrong token stays wrong. */
async function linesOf({ terminal }: CliContext, source: StatusSource): Promise<string[]> {
  const size = { columns: usableColumns(terminal), colour: terminal.colour };
  try {
    return networkLines(await source.ask(), size).slice(0, Math.max(3, terminal.rows() - 1));
  } catch (error) {
    if (error instanceof WebfarerError && error.code === 'link-lost')
      return [`  ${clean(error.message)}; retrying`];
    throw error;
  }
}
