import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { type FileRules, savesType } from '@webfarer/protocol/job';
import { renameDurably } from '@webfarer/protocol/node';
import { hostOf, patternMatcher } from '@webfarer/protocol/url';
import type { CrawlSource } from '../archive/own-captures.ts';
import { writeSortedLines } from '../archive/index/sorted-lines.ts';
import { storageError } from '../disk/storage-error.ts';
import { writeCopies } from './copies.ts';
import { openMirrorFiles } from './mirror-files.ts';
import { type MirrorIndex, openMirrorIndex, type Sqlite } from './mirror-index.ts';

export interface WriteFilesOptions {
  /** The crawl, to whose folder `files/` and their list `files.jsonl` go, then those before it, which have unchanged files. */
  sources: readonly [CrawlSource, ...CrawlSource[]];
  rules: FileRules;
  seeds: readonly Url[];
  edges: () => AsyncIterable<{ from: Url; edges: Edge[] }>;
  sqlite: Sqlite;
}

/** A line of `files.jsonl`. */
export interface FoundFile {
  url: string;
  /** The page it was found on; of several the first by address. */
  page: string;
  /** The text of the link there. */
  text?: string;
  /** How many pages lead to it. */
  pages: number;
  type: string;
  /** Of the file, in bytes. */
  size: number;
  /** `sha1:BASE32` of the body as it was sent. */
  digest?: string;
  /** From the crawl folder. */
  path: string;
}

/**
 * Copies the files that pages of the job lead to out of the archive, and lists them. Like a mirror it is made of committed
 * records, can be made again at any time, and resumes where it was killed.
 */
export async function writeFoundFiles(options: WriteFilesOptions): Promise<{ files: number }> {
  const { sources, rules } = options;
  const [{ folder }] = sources;
  const links = join(folder, 'files.links');
  const index = openMirrorIndex(join(folder, 'files.db'), options.sqlite);
  try {
    await index.fill(
      sources.map((source) => ({ ...source, records: () => ofTypes(source.records(), rules) })),
      { asShown: false },
    );
    await writeSortedLines(leading(options, index), links);
    await index.keepOnly(pathsIn(links));
    const files = await openMirrorFiles(join(folder, 'files'));
    for (const path of index.leftovers()) {
      await files.remove(path);
      index.forget(path);
    }
    const copied = await writeCopies({
      index,
      files,
      archives: sources.map(({ archive }) => archive),
      rewrite: undefined,
      more: () => [],
    });
    await files.close();
    const list = join(folder, 'files.jsonl');
    await pipeline(jsonLines(links, index), createWriteStream(`${list}.new`));
    await renameDurably(`${list}.new`, list);
    return { files: copied.files };
  } catch (error) {
    throw storageError(error, `cannot write ${join(folder, 'files')}`);
  } finally {
    index.close();
    await rm(links, { force: true });
  }
}

/** Redirects too: a link may lead to a file by way of them. */
async function* ofTypes(records: AsyncIterable<PageRecord>, { types }: FileRules): AsyncIterable<PageRecord> {
  const wanted = { save: types, ignore: [] };
  for await (const record of records) {
    const { mime = '', mimeDetected = '', redirectTo } = record;
    const fits = [mime, mimeDetected].some((type) => type !== '' && savesType(wanted, type));
    if (redirectTo !== undefined || fits) yield record;
  }
}

type Found = [path: string, page: string, text: string];

/** Each link from a page of the job to a file, as lines that sort by file and page. */
async function* leading(
  { edges, rules, seeds }: WriteFilesOptions,
  index: MirrorIndex,
): AsyncIterable<string> {
  const hosts = seeds.map(hostOf);
  const from = rules.from.map((pattern) => patternMatcher(pattern, hosts));
  for await (const page of edges()) {
    if (!from.some((fits) => fits(page.from))) continue;
    for (const { to, rel, text = '' } of page.edges) {
      const path = rel === 'redirect' ? undefined : index.find(to);
      if (path !== undefined) yield ascii([path, page.from, text]);
    }
  }
}

function ascii(found: Found): string {
  return JSON.stringify(found).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function* linesIn(file: string): AsyncIterable<Found> {
  const input = createReadStream(file, 'latin1');
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    yield JSON.parse(line) as Found;
}

async function* pathsIn(file: string): AsyncIterable<string> {
  for await (const [path] of linesIn(file)) yield path;
}

async function* jsonLines(file: string, index: MirrorIndex): AsyncIterable<string> {
  let last: { path: string; page: string; text: string; pages: number; lastPage: string } | undefined;
  for await (const [path, page, text] of linesIn(file)) {
    if (last?.path !== path) {
      if (last) yield line(last, index);
      last = { path, page, text, pages: 0, lastPage: '' };
    }
    if (last.lastPage !== page) last.pages += 1;
    last.lastPage = page;
    if (last.text === '' && last.page === page) last.text = text;
  }
  if (last) yield line(last, index);
}

function line(
  { path, page, text, pages }: { path: string; page: string; text: string; pages: number },
  index: MirrorIndex,
) {
  const { url = '', mime = '', digest } = index.at(path) ?? {};
  const found: FoundFile = {
    url,
    page,
    ...(text === '' ? {} : { text }),
    pages,
    type: mime,
    size: index.written(path)?.bytes ?? 0,
    ...(digest === undefined ? {} : { digest }),
    path: `files/${path}`,
  };
  return `${JSON.stringify(found)}\n`;
}
