import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { systemClock } from '@webfarer/protocol';
import { redact } from '@webfarer/protocol/url/secrets';
import type { CliContext } from './context/context.ts';
import { reportFailure } from './view/failure.ts';
import { localCrawls } from './local/local-on-demand.ts';
import { runCli } from './program.ts';
import { createPrompts } from './context/prompts.ts';
import { isLateCall, lateCallLine } from './machine/late-calls.ts';
import { hostLedgerPath, shellHistoryPath } from './machine/state-folder.ts';
import { version } from './machine/version.ts';
import { storeOptionsIn } from './secrets/store-options.ts';
import { createSafeStream } from './terminal/safe-stream.ts';
import { printable } from './terminal/printable.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The only place that touches the process: its environment, streams, signals and end. */
const { stdin, stdout, stderr, env } = process;
const argv = process.argv.slice(2);

/** A terminal that is gone takes no more output; SIGHUP has told us, or is about to. */
const terminalGone = new Set(['EIO', 'ENXIO', 'EBADF']);
stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe may go first (`| head`).
  if (error.code === 'EPIPE') process.exit(0);
  if (!terminalGone.has(error.code ?? '')) throw error;
});
stderr.on('error', () => undefined);

// Other users of the machine see the words of a process; a password among them is masked as early as possible.
const line = ['webfarer', ...argv].join(' ');
if (redact(line) !== line) process.title = redact(line);

const dumb = env.TERM === 'dumb';
const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0';
const live = stdout.isTTY === true && !dumb && !env.CI;
const colour = !env.NO_COLOR && !dumb && (forced || (stdout.isTTY === true && !env.CI));

const terminal: Terminal = {
  out: (text) => void stdout.write(printable(text)),
  err: (text) => void stderr.write(printable(text)),
  live,
  colour,
  columns: () => stdout.columns ?? 100,
  rows: () => stdout.rows ?? 24,
};

const interrupts = new Set<() => void>();
function interrupted(): void {
  if (interrupts.size === 0) leave(130);
  for (const handler of interrupts) handler();
}
// SIGBREAK is Ctrl-Break on Windows, and never comes elsewhere.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const) process.on(signal, interrupted);
// Its terminal is gone: a stop. Without a terminal (nohup, a service) it means nothing, and work continues.
const hadTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
process.on('SIGHUP', () => void (hadTerminal && interrupted()));

// A fault that nothing caught ends with a sentence and its exit code, and with the terminal as it was found.
process.on('uncaughtException', (error) =>
  leave(reportFailure(error, terminal, { json: argv.includes('--json') })),
);

// Everything else that nothing waits for is a fault as above.
process.on('unhandledRejection', (error) => {
  if (!isLateCall(error)) throw error;
  terminal.err(`${lateCallLine(error)}\n`);
});

/** Puts the terminal back as it was found. */
function restore(): void {
  if (stdin.isTTY && stdin.isRaw) stdin.setRawMode(false);
  if (live) stdout.write('\x1b[?25h\x1b[?2026l');
}
process.on('exit', restore);

function leave(code: number): never {
  restore();
  process.exit(code);
}

/** Single keys. In raw mode the terminal sends Ctrl-C and Ctrl-Z as characters, so they are turned back. */
function onKey(handler: (key: string) => void): () => void {
  const read = (data: Buffer) => {
    for (const key of data.toString('latin1')) {
      if (key === '\x03') interrupted();
      else if (key === '\x1a') suspend();
      else handler(key);
    }
  };
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on('data', read);
  return () => {
    stdin.off('data', read);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

function suspend(): void {
  // Windows cannot stop a process for a while.
  if (process.platform === 'win32') return;
  restore();
  process.once('SIGCONT', () => stdin.setRawMode(true));
  process.kill(process.pid, 'SIGTSTP');
}

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
  linux: ['xdg-open'],
};

/** Where there is no desktop nothing happens: the path has been printed. */
function openFile(path: string): void {
  const [command, ...args] = openers[process.platform] ?? [];
  if (command === undefined || (process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)) return;
  spawn(command, [...args, path], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

function promptHere(): NonNullable<CliContext['prompt']> {
  return { input: stdin, output: stdout, historyFile: shellHistoryPath() };
}

/** A pipe or a file, other than a device such as /dev/null. */
function isPiped(): boolean {
  if (stdin.isTTY) return false;
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    return false;
  }
}

const context: CliContext = {
  terminal,
  // A file gets the bytes as they are; a screen only what is safe to show.
  stdout: stdout.isTTY ? createSafeStream(terminal.out) : stdout,
  clock: systemClock(),
  cwd: process.cwd(),
  version,
  launcher: env.npm_command === 'exec' ? 'npx webfarer' : 'webfarer',
  argv,
  local: localCrawls,
  ledger: hostLedgerPath(),
  environment: env,
  ...(env.WEBFARER_TOKEN ? { token: env.WEBFARER_TOKEN } : {}),
  ...(env.WEBFARER_AT ? { at: env.WEBFARER_AT } : {}),
  secrets: {
    ...(env.WEBFARER_STORE ? { store: env.WEBFARER_STORE } : {}),
    storeOptions: storeOptionsIn(env),
    ...(env.WEBFARER_PROXY ? { proxy: env.WEBFARER_PROXY } : {}),
    ...(env.WEBFARER_CREDENTIALS ? { credentials: env.WEBFARER_CREDENTIALS } : {}),
    ...(env.WEBFARER_IDENTITY_KEY ? { identityKey: env.WEBFARER_IDENTITY_KEY } : {}),
  },
  onInterrupt(handler) {
    interrupts.add(handler);
    return () => interrupts.delete(handler);
  },
  onDumpSignal(handler) {
    process.on('SIGUSR2', handler);
    return () => process.off('SIGUSR2', handler);
  },
  exitNow: leave,
  ...(live && stdin.isTTY ? { onKey, ask: createPrompts(), openFile, prompt: promptHere() } : {}),
  ...(isPiped() ? { piped: stdin } : {}),
};

process.exitCode = await runCli(argv, context);
// The command has ended. What it may have left open (a socket, a timer) must not keep the process; output must be out.
const LINGER_MS = 2_000;
// allow(time): about the end of this process, not about any crawl
setInterval(() => {
  if (stdout.writableLength === 0) process.exit();
}, LINGER_MS).unref();
