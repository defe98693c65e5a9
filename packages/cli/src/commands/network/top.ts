import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { MachineFrame, NetworkStatus } from '@webfarer/coordinator';
import type { CliContext } from '../../context/context.ts';
import { wholeNumber } from '../../job/crawl-options.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { createCanvas } from '../../terminal/canvas.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean } from '../../terminal/text.ts';
import { plainTopLines, topLines } from '../../view/top-lines.ts';
import type { CommandHome } from '../home.ts';

const EVERY_MS = 1_000;
/** Lines that nobody redraws would bury everything else. */
const PLAIN_EVERY_MS = 10_000;

interface TopOptions {
  at?: string;
  tokenFile?: string;
  json?: boolean;
  count?: string;
}

interface Look {
  status: NetworkStatus;
  machines: MachineFrame[];
}

export function addTopCommand({ program, context }: CommandHome): void {
  program
    .command('top')
    .description(
      'Shows the crawls of a coordinator and what its machines use, once a second, until q or Ctrl-C. ' +
        'Without a terminal: one line for each crawl and machine every 10 seconds.',
    )
    .argument('[folder|url]', '--data folder of a coordinator (default: the only one here), or its URL')
    .option('--at <url>', 'the same as an option')
    .option('--token-file <file>', "for an address: the coordinator's operator.token (or WEBFARER_TOKEN)")
    .option('--json', 'one JSON object a second')
    .option('--count <n>', 'look so many times, then exit')
    .action(async (named: string | undefined, options: TopOptions) => {
      const looks = options.count === undefined ? undefined : wholeNumber(options.count, '--count', 1);
      const { coordinatorAt } = await import('../../network/coordinator-at.ts');
      const source = await coordinatorAt(context, { at: named ?? options.at, tokenFile: options.tokenFile });
      if (options.json || !context.terminal.live) await print(context, source, { ...options, looks });
      else await watch(context, source, looks);
    });
}

async function look(source: CoordinatorAt): Promise<Look> {
  const [status, { machines }] = await Promise.all([source.status(), source.api.getResources()]);
  return { status, machines };
}

/** Until somebody stops it, or it has looked often enough. */
async function repeat(
  context: CliContext,
  { everyMs, looks = Number.POSITIVE_INFINITY }: { everyMs: number; looks: number | undefined },
  work: () => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const leave = () => over.abort();
  const ends = [context.onInterrupt(leave), context.onKey?.((key) => void (key === 'q' && leave()))];
  try {
    for (let done = 1; !over.signal.aborted; done++) {
      await work();
      if (done >= looks) return;
      await context.clock.sleep(everyMs, over.signal).catch(() => undefined);
    }
  } finally {
    for (const end of ends) end?.();
  }
}

async function watch(context: CliContext, source: CoordinatorAt, looks: number | undefined): Promise<void> {
  const canvas = createCanvas(context.terminal);
  let last: string[] = [];
  try {
    await repeat(context, { everyMs: EVERY_MS, looks }, async () => {
      last = await linesOf(context, source);
      canvas.draw(last);
    });
  } finally {
    // What was seen last stays on the screen.
    canvas.end(last);
  }
}

/** An unreachable coordinator may come back; a wrong token stays wrong. */
async function linesOf({ terminal }: CliContext, source: CoordinatorAt): Promise<string[]> {
  try {
    const { status, machines } = await look(source);
    const rows = Math.max(3, terminal.rows() - 1);
    return topLines(status, machines, { columns: usableColumns(terminal), rows, colour: terminal.colour });
  } catch (error) {
    return [`  ${awayWords(error)}; retrying`];
  }
}

function awayWords(error: unknown): string {
  if (error instanceof WebfarerError && error.code === 'link-lost') return clean(error.message);
  throw error;
}

async function print(
  context: CliContext,
  source: CoordinatorAt,
  { json = false, looks }: { json?: boolean; looks: number | undefined },
): Promise<void> {
  const { terminal, clock } = context;
  await repeat(context, { everyMs: json ? EVERY_MS : PLAIN_EVERY_MS, looks }, async () => {
    const atMs = Math.round(clock.now());
    try {
      const { status, machines } = await look(source);
      if (json) return terminal.out(jsonLine({ atMs, ...status, machines }));
      for (const line of plainTopLines(status, machines, atMs)) terminal.out(`${clean(line)}\n`);
    } catch (error) {
      terminal.err(`${awayWords(error)}; retrying\n`);
    }
  });
}
