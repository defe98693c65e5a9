import { asStorageError } from '@webfarer/coordinator/storage-error';
import { errorCodes, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl/json-line';
import type { Terminal } from '../terminal/terminal.ts';
import { clean, painter, sentence, wrap } from '../terminal/text.ts';

/** Prints what went wrong and what to do now; answers the exit code. */
export function reportFailure(error: unknown, terminal: Terminal, options: { json?: boolean } = {}): number {
  const failure = asFailure(error);
  if (options.json) {
    terminal.out(
      jsonLine({ type: 'error', code: failure.code, message: failure.message, next: failure.next }),
    );
  }
  for (const line of failureLines(failure, terminal)) terminal.err(`${line}\n`);
  return errorCodes[failure.code].exit;
}

export interface Failure {
  code: WebfarerError['code'];
  message: string;
  next?: string | undefined;
}

export function failureLines(failure: Failure, size: { columns(): number; colour: boolean }): string[] {
  const paint = painter(size.colour);
  const columns = Math.max(40, Math.min(size.columns() - 1, 110)) - 4;
  // Messages may hold several lines, such as a line of a job file and its caret: those stay as they are.
  const message = failure.message.split('\n').map(cleanLine);
  const first = wrap(message.length > 1 ? (message[0] ?? '') : sentence(message[0] ?? ''), columns);
  const next = failure.next ? failure.next.split('\n').flatMap((line) => wrap(cleanLine(line), columns)) : [];
  return [
    `  ${paint('bad', '✗')} ${first[0] ?? ''}`,
    ...[...first.slice(1), ...message.slice(1), ...next].map((line) => `    ${line}`),
  ];
}

/** Keeps the indentation that a caret needs. */
function cleanLine(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return (
    indent +
    line
      .slice(indent.length)
      .split(/(?<= ) (?= )/)
      .map(clean)
      .join(' ')
  );
}

function asFailure(error: unknown): Failure {
  if (error instanceof WebfarerError) return error;
  const known = systemFailure(error);
  if (known) return known;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message: text, next: 'This is a bug in webfarer; please report it.' };
}

/** Only a database that was not opened through the frontier: its folder is not known here. */
const databasePath = 'FOLDER/crawl.db';

/** Errors of the machine that a person can do something about. */
function systemFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  const stored = asStorageError(error, databasePath);
  if (stored instanceof WebfarerError) return stored;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return {
      code: 'storage',
      message: `The disk is full: ${error.message}`,
      next: 'Free some space and run the same command again.',
    };
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return {
      code: 'storage',
      message: `No permission: ${error.message}`,
      next: 'Choose a folder that this user may write to.',
    };
  }
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') {
    return {
      code: 'storage',
      message: `${code === 'EISDIR' ? 'A folder' : 'A file'} is in the way: ${error.message}`,
      next: `Choose another path, one that ${code === 'EISDIR' ? 'is not a folder' : 'names a folder, or nothing yet'}.`,
    };
  }
  if (code === 'ENOENT') return { code: 'not-found', message: error.message };
  return undefined;
}
