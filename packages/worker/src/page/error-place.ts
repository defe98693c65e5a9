import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Frames of our own are of no use to the author of a handler. */
const ours = dirname(import.meta.dirname);

/** An error of user code in one line: its message, and the file and line of the author's own code it came from. */
export function errorWithPlace(error: unknown, folder = process.cwd()): string {
  // Whatever was thrown is made by user code, its getters and its `toString` as well.
  try {
    if (!(error instanceof Error)) return String(error);
    const name = error.name === 'Error' ? '' : `${error.name}: `;
    const place = placeOf(typeof error.stack === 'string' ? error.stack : '', folder);
    return `${name}${error.message}${place === undefined ? '' : ` (${place})`}`;
  } catch {
    return 'something that cannot be read was thrown';
  }
}

/** Of an error, in characters. */
const maxDetail = 500;

/**
 * The same for code that drives a browser. Its errors have a log behind the first line, which may hold what was typed; the
 * first entry says what was waited for.
 */
export function browserError(error: unknown, folder = process.cwd()): string {
  if (!isReadable(error)) return errorWithPlace(error, folder).slice(0, maxDetail);
  const lines = error.message.split('\n').map((line) => line.replaceAll(colour, '').trim());
  const [first = '', ...others] = lines;
  const waited = others.find((line) => line.startsWith('- waiting for '))?.slice(2);
  const said = `${first}${waited === undefined ? '' : ` ${waited}`}`.slice(0, maxDetail);
  const place = placeOf(error.stack ?? '', folder);
  const name = error.name === 'Error' || error.name === 'TimeoutError' ? '' : `${error.name}: `;
  return `${name}${said}${place === undefined ? '' : ` (${place})`}`;
}

/** An error that says what it is without running code that throws. */
function isReadable(error: unknown): error is Error {
  try {
    return error instanceof Error && `${error.name}${error.message}${error.stack}` !== '';
  } catch {
    return false;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const colour = /\u001b\[[\d;]*m/g;

function placeOf(stack: string, folder: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, where, position] =
      /^\s+at (?:async )?(?:.*\()?((?:file:\/\/)?\/?[^()]+?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (where === undefined || where.startsWith('node:')) continue;
    const path = where.startsWith('file:') ? fileURLToPath(where) : where;
    if (path.startsWith(ours) || path.includes('node_modules')) continue;
    const near = relative(folder, path);
    return `${near.startsWith('..') ? path : near}${position}`;
  }
  return undefined;
}
