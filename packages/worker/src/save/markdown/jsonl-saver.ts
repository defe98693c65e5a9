import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SavedAt } from '@webfarer/protocol';
import type { Capture, Saver } from '../saver.ts';
import { segmentNames, Segments } from '../segments.ts';
import { type MarkdownSaverOptions, pageText } from './page-text.ts';
import { newestLines } from './newest-lines.ts';

const dir = 'markdown';
const rotateBytes = 1_000_000_000;
/** Read at the start to know what was written last: more than can be on its way when a crash comes. */
const rereadBytes = 32 * 1024 * 1024;
/** Lines that are remembered, at least. */
const remembered = 50_000;

/**
 * One line of JSON for each page. A crash may come between writing a line and recording its page, which is then
 * fetched again: an equal line is not written twice.
 */
export function jsonlSaver(options: MarkdownSaverOptions): Saver {
  const { folder, crawl, clock, content } = options;
  const segments = new Segments({
    folder,
    dir,
    ...segmentNames(crawl, options.process),
    ext: '.jsonl',
    rotateBytes,
    clock,
    wholeEnd: wholeLinesEnd,
  });
  const written = new RecentLines();
  return {
    name: 'markdown',
    async start() {
      await segments.start();
      for await (const line of newestLines(join(folder, dir), { maxBytes: rereadBytes })) {
        const [, url, digest] = lineStart.exec(line) ?? [];
        if (url !== undefined && digest !== undefined) written.add(`${url} ${digest}`);
      }
    },
    async save(capture: Capture): Promise<SavedAt | undefined> {
      const key = `${JSON.stringify(capture.entry.url)} ${JSON.stringify(capture.digest)}`;
      if (written.has(key)) return undefined;
      const page = await pageText(capture, options);
      if (!page) return undefined;
      const { url, digest, ...facts } = page.facts;
      const line = Buffer.from(`${JSON.stringify({ url, digest, ...facts, [content]: page.text })}\n`);
      const { file, offset } = await segments.append([line]);
      written.add(key);
      return { saver: 'markdown', file, offset, length: line.length };
    },
    sync: () => segments.sync(),
    stop: () => segments.stop(),
    written: () => segments.written(),
  };
}

const lineStart = /^\{"url":("(?:[^"\\]|\\.)*"),"digest":("[^"]*")/;

/** What was written lately, in two generations: the older goes when the younger is full. */
class RecentLines {
  #young = new Set<string>();
  #old = new Set<string>();

  add(key: string): void {
    if (this.#young.size >= remembered) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(shortKey(key));
  }

  has(key: string): boolean {
    const short = shortKey(key);
    return this.#young.has(short) || this.#old.has(short);
  }
}

const shortKey = (key: string): string => createHash('sha256').update(key).digest('base64').slice(0, 16);

const chunkBytes = 65_536;

/** Where the last whole line ends: what a crash tore has no end. */
async function wholeLinesEnd(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let end = (await file.stat()).size; end > 0; ) {
      const start = Math.max(0, end - chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, end - start, start);
      const at = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (at >= 0) return start + at + 1;
      end = start;
    }
    return 0;
  } finally {
    await file.close();
  }
}
