import { existsSync } from 'node:fs';
import { WebfarerError } from '@webfarer/protocol';
import type { Command } from 'commander';
import type { CliContext } from '../context/context.ts';
import { endingExit } from '../crawl/ending.ts';
import type { OpenedCrawl } from '../crawl/local-port.ts';
import type { CrawlPlan } from '../crawling/run-crawl.ts';
import { climbStopLadder } from '../crawling/stop-ladder.ts';
import type { DiagnosticsOptions } from '../diagnostics/diagnostics-options.ts';
import { runObserved } from '../diagnostics/observed-crawl.ts';
import type { LocalConsole } from '../network/local-console.ts';
import { clean } from '../terminal/text.ts';

/** How a crawl is shown in a browser of this machine. */
export interface UiOptions {
  ui?: boolean;
  uiPort?: string;
  uiOpen?: boolean;
}

export function addUiOptions(command: Command): void {
  command
    .optionsGroup('Console:')
    .option('--ui', 'watch and steer the crawl in a browser of this machine; prints a link that works once')
    .option('--ui-port <n>', 'port of 127.0.0.1 for it (a free one)')
    .option('--ui-open', 'also open the link, where there is a desktop');
}

/** Runs a crawl, with the console where it was asked for. */
export async function runShown(
  context: CliContext,
  plan: CrawlPlan,
  options: UiOptions & DiagnosticsOptions,
): Promise<number> {
  const isShown = options.ui || options.uiPort !== undefined || options.uiOpen;
  if (!isShown) return await runObserved(context, plan, options);
  const console = await localConsole(context, options);
  const ladder = outerLadder(context, console);
  try {
    const openLocal = async (open: CrawlPlan['open']): Promise<OpenedCrawl> => {
      const opened = await console.open(open);
      ladder.opened();
      await sayLink(context, { console, options, json: plan.json });
      return opened;
    };
    const local = { ...context.local, openLocal };
    const keys = { l: () => linkLines(console) };
    const seen = { ...context, onInterrupt: ladder.onInterrupt, local };
    const code = await runObserved(seen, { ...plan, keys }, options);
    // A crawl that came to nothing has taken its folder with it.
    const isThere = existsSync(plan.open.folder);
    if (isThere && ladder.asked() === 0 && context.onKey)
      await staysUntilEnded(context, { console, what: 'The crawl is over. The console stays open' });
    return code;
  } finally {
    await console.stop();
    ladder.end();
  }
}

export async function localConsole(context: CliContext, { uiPort }: UiOptions): Promise<LocalConsole> {
  const port = portOf(uiPort);
  // Loaded where it is needed: most crawls serve nothing.
  const { createLocalConsole } = await import('../network/local-console.ts');
  const { clock, cwd, consoleFolder } = context;
  return createLocalConsole({ clock, baseFolder: cwd, port, consoleFolder });
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return Number(text);
  throw new WebfarerError('usage', `--ui-port needs a port from 1 to 65535, not "${clean(text)}".`, {
    next: 'Leave it out, and a free one is used.',
  });
}

/** Before the crawl has a ladder of its own and after: a request to stop is heard at any moment. */
export function outerLadder(context: CliContext, console: LocalConsole) {
  let isOpen = false;
  const stopping = climbStopLadder(context, {
    // Nothing has begun that would have to be finished.
    stop: () => void (isOpen || context.exitNow(endingExit.interrupted)),
    drop: () => void console.stop({ now: true }),
  });
  const onInterrupt: CliContext['onInterrupt'] = (handler) => {
    // A request that comes between two listeners reaches the next one.
    if (stopping.asked > 0) handler();
    return context.onInterrupt(handler);
  };
  return {
    opened: () => void (isOpen = true),
    asked: () => stopping.asked,
    onInterrupt,
    end: () => stopping.end(),
  };
}

interface Shown {
  console: LocalConsole;
  options: UiOptions;
  json: boolean;
}

/** Not among the events: those are kept in logs. */
export async function sayLink(context: CliContext, { console, options, json }: Shown): Promise<void> {
  const { terminal } = context;
  const lines = linkLines(console, { more: context.onKey !== undefined });
  for (const line of lines) (json ? terminal.err : terminal.out)(`  ${line}\n`);
  if (options.uiOpen) context.openFile?.(await console.linkPage());
}

function linkLines(console: LocalConsole, { more = true } = {}): string[] {
  const another = more ? '; press l for another' : '';
  return [`Watch it:  ${console.link()}`, `(for one browser, within 90 seconds${another})`];
}

export async function staysUntilEnded(
  context: CliContext,
  { console, what }: { console: LocalConsole; what: string },
): Promise<void> {
  const { terminal, onKey } = context;
  const keys = onKey ? '. Press q to end it, l for another link.' : '. Press Ctrl-C to end it.';
  terminal.out(`  ${what}${keys}\n`);
  const ended = Promise.withResolvers<void>();
  const unlisten = context.onInterrupt(ended.resolve);
  const stopKeys = onKey?.((key) => {
    if (key === 'q') ended.resolve();
    if (key === 'l') for (const line of linkLines(console)) terminal.out(`  ${line}\n`);
  });
  await ended.promise;
  stopKeys?.();
  unlisten();
}
