import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { writeSortedLines } from './sorted-lines.ts';

const keyed = /^([^)\s]*\)\/[^?\s]*)(\?\S*)? /;

/**
 * The same line under the key that other readers look for. Where a path ends in a slash there are two habits: indexes made
 * by the surt module of Python, and pywb, drop it, unless the path is `/`; those of warcio.js, and ReplayWeb.page, keep
 * it. Undefined where both agree.
 */
export function otherKey(line: string): string | undefined {
  const [start = '', path = '', query = ''] = keyed.exec(line) ?? [];
  if (!path.endsWith('/') || path.endsWith(')/')) return undefined;
  return `${path.slice(0, -1)}${query} ${line.slice(start.length)}`;
}

/** Writes an index for readers of either habit: each capture under all its keys. */
export async function writeReplayIndex(sorted: string, file: string): Promise<void> {
  async function* lines(): AsyncGenerator<string> {
    const input = createReadStream(sorted, 'latin1');
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      yield line;
      const other = otherKey(line);
      if (other !== undefined) yield other;
    }
  }
  await writeSortedLines(lines(), file);
}
