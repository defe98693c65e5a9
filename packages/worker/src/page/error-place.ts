import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Frames of our own are of no use to the author of a handler. */
const ours = dirname(import.meta.dirname);

/** An error of user code in one line: its message, and the file and line of the author's own code it came from. */
export function errorWithPlace(error: unknown, folder = process.cwd()): string {
  if (!(error instanceof Error)) return String(error);
  const name = error.name === 'Error' ? '' : `${error.name}: `;
  const place = placeOf(error.stack ?? '', folder);
  return `${name}${error.message}${place === undefined ? '' : ` (${place})`}`;
}

function placeOf(stack: string, folder: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, where, position] = /^\s+at (?:.*\()?((?:file:\/\/)?\/?[^()]+?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (where === undefined || where.startsWith('node:')) continue;
    const path = where.startsWith('file:') ? fileURLToPath(where) : where;
    if (path.startsWith(ours) || path.includes('node_modules')) continue;
    const near = relative(folder, path);
    return `${near.startsWith('..') ? path : near}${position}`;
  }
  return undefined;
}
