import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type PageRecord, WebfarerError } from '@webfarer/protocol';
import { type CrawlSource, writeCdxj, writeReplayIndex } from '@webfarer/worker/archive';
import { packIndex } from './cdx-blocks.ts';
import { ZipFile } from './zip-file.ts';

/** Replay tools find the index only under exactly these names. */
export const indexName = 'index.cdx.gz';
export const indexPath = `indexes/${indexName}`;
export const secondIndexPath = 'indexes/index.idx';
export const pagesPath = 'pages/pages.jsonl';

export interface WaczOptions {
  /**
   * The crawl, then the ones before it. Those are packed only where the crawl left bodies out because they
   * are there: pages are always those of the first.
   */
  sources: [CrawlSource, ...CrawlSource[]];
  /** What to write. */
  file: string;
  title: string;
  software: string;
  nowMs: number;
}

export interface WaczMade {
  bytes: number;
  warcs: number;
  pages: number;
  captures: number;
  /** Crawls that were packed. */
  crawls: number;
  /** Captures whose body is only in the archive of an earlier crawl that is not available. */
  elsewhere: number;
}

interface Resource {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

/** One file with everything a replay tool needs. The WARC files stream into it; only the indexes are rebuilt. */
export async function writeWacz(options: WaczOptions): Promise<WaczMade> {
  await warcsOf(options.sources[0]);
  const scratch = `${options.file}.parts`;
  const zip = await ZipFile.create(options.file, { dateMs: options.nowMs });
  try {
    await rm(scratch, { recursive: true, force: true });
    await mkdir(scratch);
    const resources: Resource[] = [];
    const add = async (path: string, content: Content) => {
      resources.push(await addHashed(zip, path, content));
    };
    const pages = await writePages(options.sources[0].records(), join(scratch, 'pages.jsonl'));
    const sources = pages.elsewhere > 0 ? options.sources : options.sources.slice(0, 1);
    const [captures, index] = [join(scratch, 'captures.cdx'), join(scratch, 'index.cdx')];
    const { lines, elsewhere } = await writeIndex(sources, captures);
    await writeReplayIndex(captures, index);
    const second = await packIndex(index, join(scratch, indexName), indexName);
    // After the index was made: what it lists is in the files by now.
    const warcs = await allWarcs(sources);
    for (const { name, bytes, pieces } of warcs) await add(`archive/${name}`, { bytes, pieces });
    await add(indexPath, await fileContent(join(scratch, indexName)));
    await add(secondIndexPath, second);
    await add(pagesPath, await fileContent(join(scratch, 'pages.jsonl')));
    await addDescription(zip, describe(options, resources, pages.main));
    const bytes = await zip.finish();
    return {
      bytes,
      warcs: warcs.length,
      pages: pages.count,
      captures: lines,
      crawls: sources.length,
      elsewhere,
    };
  } catch (error) {
    await zip.abandon();
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** One index of all crawls. Counts what the oldest of them in turn expects of an even earlier one. */
async function writeIndex(
  sources: readonly CrawlSource[],
  file: string,
): Promise<{ lines: number; elsewhere: number }> {
  let elsewhere = 0;
  async function* records(): AsyncGenerator<PageRecord> {
    for (const source of sources) {
      elsewhere = 0;
      for await (const record of source.records()) {
        if (isElsewhere(record)) elsewhere += 1;
        yield record;
      }
    }
  }
  const { lines } = await writeCdxj(records(), file);
  return { lines, elsewhere };
}

function isElsewhere(record: PageRecord): boolean {
  const revisit = record.saved?.find((saved) => saved.saver === 'warc')?.revisit;
  return revisit !== undefined && revisit.original === undefined;
}

async function allWarcs(sources: readonly CrawlSource[]): Promise<Warc[]> {
  const warcs = (await Promise.all(sources.map((source) => warcsOf(source)))).flat();
  const twice = warcs.find(({ name }, n) => warcs.findIndex((other) => other.name === name) !== n);
  if (!twice) return warcs;
  throw new WebfarerError('usage', `Two of the crawls have a file ${twice.name}.`);
}

type Content = Buffer | { bytes: number; pieces: () => AsyncIterable<Buffer> };

async function fileContent(path: string): Promise<Content> {
  return { bytes: (await stat(path)).size, pieces: () => createReadStream(path, { highWaterMark: 1 << 18 }) };
}

async function addHashed(zip: ZipFile, path: string, content: Content): Promise<Resource> {
  const hash = createHash('sha256');
  async function* pieces(): AsyncGenerator<Buffer> {
    const source = Buffer.isBuffer(content) ? [content] : content.pieces();
    for await (const piece of source) {
      hash.update(piece);
      yield piece;
    }
  }
  const bytes = Buffer.isBuffer(content) ? content.length : content.bytes;
  await zip.add({ name: path, bytes, pieces: pieces() });
  return { name: basename(path), path, hash: `sha256:${hash.digest('hex')}`, bytes };
}

interface Warc {
  name: string;
  bytes: number;
  /** The file may still grow: what was there at the beginning is taken. */
  pieces: () => AsyncIterable<Buffer>;
}

/** Of a file that is being written, or was when a crawl died, only the whole records. */
async function warcsOf({ archive }: CrawlSource): Promise<Warc[]> {
  const files = (await archive.files()).filter(({ name }) => /^archive\/.*\.warc\.gz$/.test(name));
  const found: Warc[] = [];
  for (const file of files) {
    const bytes = await archive.wholeBytes(file);
    found.push({ name: basename(file.name), bytes, pieces: () => archive.bytes(file, bytes) });
  }
  if (found.length > 0) return found;
  throw new WebfarerError('not-found', 'There is no WARC file to pack.', {
    next: 'A crawl writes them with save: [warc], which is the default.',
  });
}

interface Pages {
  count: number;
  elsewhere: number;
  /** The first page that was asked for. */
  main: { url: string; date: string } | undefined;
}

/** What a person may open: each page that was saved, with its title. */
async function writePages(records: AsyncIterable<PageRecord>, file: string): Promise<Pages> {
  const pages: Pages = { count: 0, elsewhere: 0, main: undefined };
  async function* lines(): AsyncGenerator<string> {
    yield line({ format: 'json-pages-1.0', id: 'pages', title: 'All Pages', hasText: false });
    for await (const record of records) {
      const at = record.saved?.find((saved) => saved.saver === 'warc');
      if (isElsewhere(record)) pages.elsewhere += 1;
      if (!at || !isPage(record)) continue;
      const { url, title } = record;
      const ts = new Date(record.startedAtMs).toISOString();
      const seed = record.depth === 0;
      if (seed) pages.main ??= { url, date: ts };
      pages.count += 1;
      yield line({ id: idOf(url), url, ts, ...(title && { title }), ...(seed && { seed }) });
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return pages;
}

function isPage({ kind, status }: PageRecord): boolean {
  return kind === 'page' && status !== undefined && ((status >= 200 && status < 300) || status === 304);
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function idOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 20);
}

function describe(options: WaczOptions, resources: Resource[], main: Pages['main']): Buffer {
  const { title, software, nowMs } = options;
  const text = JSON.stringify(
    {
      profile: 'data-package',
      wacz_version: '1.1.1',
      title,
      software,
      created: new Date(nowMs).toISOString(),
      ...(main && { mainPageUrl: main.url, mainPageDate: main.date }),
      resources,
    },
    null,
    2,
  );
  return Buffer.from(`${text}\n`);
}

/** The description vouches for the contents, and the digest beside it for the description. */
async function addDescription(zip: ZipFile, description: Buffer): Promise<void> {
  const { hash } = await addHashed(zip, 'datapackage.json', description);
  const digest = Buffer.from(`${JSON.stringify({ path: 'datapackage.json', hash }, null, 2)}\n`);
  await addHashed(zip, 'datapackage-digest.json', digest);
}
