import { createReadStream } from 'node:fs';
import type { HostMatch } from '@webfarer/protocol/url';
import type { Erased, EraseOptions } from './erase-warc.ts';
import { type Replacement, rewriteFile } from './rewrite-file.ts';

const lineFeed = 0x0a;
const empty = '{"erased":true}';

/**
 * Takes the pages of a host out of a file of JSON lines that begin with their URL. Each line becomes one that says so and
 * is as long, so that the others keep their places.
 */
export async function eraseLines(path: string, { match, dryRun = false }: EraseOptions): Promise<Erased> {
  const replacements: Replacement[] = [];
  let bytes = 0;
  for await (const { from, line } of lines(path)) {
    if (!isOf(line, match)) continue;
    const text = `${empty.slice(0, -1)}${' '.repeat(Math.max(0, line.length - empty.length))}}`;
    replacements.push({ from, to: from + line.length, pieces: [Buffer.from(text)] });
    bytes += line.length;
  }
  if (replacements.length > 0 && !dryRun) await rewriteFile(path, replacements);
  return { captures: replacements.length, bytes };
}

const lineStart = /^\{"url":("(?:[^"\\]|\\.)*")/;

function isOf(line: Buffer, match: HostMatch): boolean {
  const [, url] = lineStart.exec(line.toString('utf8', 0, 16_384)) ?? [];
  return url !== undefined && match.url(JSON.parse(url) as string);
}

async function* lines(path: string): AsyncGenerator<{ from: number; line: Buffer }> {
  let [held, at]: [Buffer, number] = [Buffer.alloc(0), 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    for (let end = held.indexOf(lineFeed); end >= 0; end = held.indexOf(lineFeed, start)) {
      yield { from: at + start, line: held.subarray(start, end) };
      start = end + 1;
    }
    held = held.subarray(start);
    at += start;
  }
  if (held.length > 0) yield { from: at, line: held };
}
