import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { renameDurably } from '@webfarer/protocol/node';
import { storageError } from '../../disk/storage-error.ts';

export interface SortOptions {
  /** Lines sorted in memory at once; more go through files beside the target. About 30 MB at 100,000. */
  chunkLines?: number;
  /** Files merged at once. */
  fanIn?: number;
}

/**
 * Writes ASCII lines in byte order, each once. The file appears whole, or the one before it stays. However many
 * lines there are, memory holds one chunk.
 */
export async function writeSortedLines(
  lines: AsyncIterable<string>,
  file: string,
  options: SortOptions = {},
): Promise<{ lines: number }> {
  const { chunkLines = 100_000, fanIn = 64 } = options;
  const scratch = `${file}.sorting`;
  const fresh = `${file}.new`;
  let count = 0;
  let runs: string[] = [];
  let serial = 0;
  let chunk: string[] = [];
  const spill = async (sorted: AsyncIterable<string> | Iterable<string>) => {
    if (serial === 0) await mkdir(scratch, { recursive: true });
    const path = join(scratch, String(serial++));
    await writeLines(sorted, path);
    return path;
  };
  try {
    await rm(scratch, { recursive: true, force: true });
    for await (const line of lines) {
      chunk.push(line);
      if (chunk.length < chunkLines) continue;
      runs.push(await spill(chunk.sort()));
      chunk = [];
      if (runs.length >= fanIn) runs = [await mergeAway(runs, spill)];
    }
    const last = chunk.sort();
    const sorted = runs.length === 0 ? fromArray(last) : merge([...runs.map(linesOf), fromArray(last)]);
    const once = eachOnce(sorted, () => {
      count += 1;
    });
    await writeLines(once, fresh);
    await renameDurably(fresh, file);
    return { lines: count };
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw storageError(error, `cannot write ${file}`);
  } finally {
    await rm(scratch, { recursive: true, force: true }).catch(() => {});
  }
}

type Spill = (sorted: AsyncIterable<string>) => Promise<string>;

async function mergeAway(runs: string[], spill: Spill): Promise<string> {
  const merged = await spill(merge(runs.map(linesOf)));
  for (const run of runs) await rm(run);
  return merged;
}

function writeLines(lines: AsyncIterable<string> | Iterable<string>, path: string): Promise<void> {
  async function* chunks() {
    let text = '';
    for await (const line of lines) {
      text += `${line}\n`;
      if (text.length < 65_536) continue;
      yield text;
      text = '';
    }
    yield text;
  }
  return pipeline(Readable.from(chunks()), createWriteStream(path, { encoding: 'latin1' }));
}

async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* fromArray(lines: string[]): AsyncGenerator<string> {
  yield* lines;
}

async function* eachOnce(sorted: AsyncIterable<string>, counted: () => void): AsyncGenerator<string> {
  let last: string | undefined;
  for await (const line of sorted) {
    if (line === last) continue;
    last = line;
    counted();
    yield line;
  }
}

interface Head {
  line: string;
  rest: AsyncGenerator<string>;
}

/** The smallest head next, found by halving a short sorted list. */
async function* merge(sources: AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads: Head[] = [];
  const enter = async (rest: AsyncGenerator<string>) => {
    const { done, value } = await rest.next();
    if (done) return;
    let low = 0;
    let high = heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((heads[middle]?.line ?? '') > value) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, { line: value, rest });
  };
  for (const source of sources) await enter(source);
  for (let head = heads.pop(); head; head = heads.pop()) {
    yield head.line;
    await enter(head.rest);
  }
}
