import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { GivenStore, Manifest, Results } from '@webfarer/coordinator';
import { writeReport } from '@webfarer/graph';
import type { CrawlId, CrawlSnapshot, Job, Url } from '@webfarer/protocol';
import { archivePlace } from '@webfarer/protocol/job';
import { renameDurably } from '@webfarer/protocol/node';
import { withoutUserinfo } from '@webfarer/protocol/url';
import { type CrawlSource, openArchive, ownCaptures, writeCdxj } from '@webfarer/worker/archive';
import type { EarlierCrawls } from '../folder/earlier-crawls.ts';
import { itemChangesName } from '../folder/item-changes-file.ts';

export interface OutputOptions {
  folder: string;
  crawl: CrawlId;
  job: Job;
  results: Results;
  snapshot: CrawlSnapshot;
  hasItems: boolean;
  /** Results that were not at hand: other processes wrote them to files elsewhere. */
  absent: number;
  /** This folder among those that share the crawl. */
  member: string | undefined;
  /** The seeds of the crawl, as they are crawled. */
  seeds: readonly Url[];
  /** Where the job wants a mirror that is not in the crawl folder. */
  mirrorTo: string | undefined;
  /** The folder of the crawl before. */
  previous: string | undefined;
  /** With the password of its store, which is not in crawl.json. */
  manifest: Manifest;
}

/** Everything a person opens after a crawl, made from committed records only; each file appears whole. */
export async function writeOutputs(options: OutputOptions): Promise<NonNullable<Manifest['outputs']>> {
  const { folder, crawl, results, job } = options;
  const files = ['results.jsonl'];
  await writeLines(join(folder, 'results.jsonl'), results.records(crawl));
  if (options.hasItems) {
    await writeLines(join(folder, 'items.jsonl'), onlyItems(results, crawl));
    files.push('items.jsonl');
  }
  if (await writeItemChanges(options)) files.push(itemChangesName);
  // Bodies may all be in folders of workers on other machines, or in object storage, which is indexed from anywhere.
  const warc = job.save.find((target) => target.kind === 'warc');
  if (warc?.at === 'objects') await mkdir(join(folder, 'archive'), { recursive: true });
  if (warc && existsSync(join(folder, 'archive'))) {
    await writeCdxj(
      ownCaptures(results.records(crawl), options.member),
      join(folder, 'archive', 'index.cdxj'),
    );
    files.push('archive/index.cdxj');
  }
  await writeReport({
    file: join(folder, 'report.html'),
    snapshot: options.snapshot,
    limits: job.limits,
    absent: options.absent,
    records: () => results.records(crawl),
    edges: () => results.edges(crawl),
  });
  if (job.files || job.mirror) await writeCopies(options);
  if (existsSync(join(folder, 'files.jsonl'))) files.push('files.jsonl');
  const outputs: NonNullable<Manifest['outputs']> = {};
  for (const name of files) outputs[name] = await digestOf(join(folder, name));
  return outputs;
}

/** In a recrawl: every item of this crawl and of the one before, with what became of it. Answers whether there are any. */
async function writeItemChanges(options: OutputOptions): Promise<boolean> {
  const { folder, job, manifest, previous } = options;
  if (previous === undefined) return false;
  const { itemChangesIn } = await import('@webfarer/coordinator/reading');
  const given = givenIn(options);
  const file = join(folder, itemChangesName);
  await writeLines(file, itemChangesIn({ folder, manifest, previous, given, key: job.itemKey }));
  if ((await stat(file)).size > 0) return true;
  await rm(file);
  return false;
}

/** A thread has no secrets but those of its task. */
function givenIn({ job: { store } }: OutputOptions): GivenStore {
  return (url) => (store && withoutUserinfo(store.url) === url ? store.url : undefined);
}

/** Made of captures that are in this folder, or unchanged in the one of the crawl before. */
async function writeCopies(options: OutputOptions): Promise<void> {
  const { folder, crawl, job, results, member, seeds, mirrorTo: to, manifest } = options;
  const objects = archivePlace(job, { id: crawl, nonce: manifest.nonce ?? manifest.id });
  const [{ writeFoundFiles, writeMirror }, { sqlite }] = await Promise.all([
    import('@webfarer/worker/mirror'),
    import('@webfarer/coordinator/reading'),
  ]);
  const earlier = await earlierOf(options);
  try {
    const records = () => ownCaptures(results.records(crawl), member);
    const archive = openArchive(folder, objects);
    const sources: [CrawlSource, ...CrawlSource[]] = [
      { folder, archive, records },
      ...(earlier?.sources ?? []),
    ];
    const edges = () => results.edges(crawl);
    if (job.files) await writeFoundFiles({ sources, rules: job.files, seeds, edges, sqlite: sqlite() });
    if (job.mirror) await writeMirror({ sources, to, job, sqlite: sqlite() });
  } finally {
    await earlier?.close();
  }
}

/** Loads what reads other folders only in a recrawl. */
async function earlierOf(options: OutputOptions): Promise<EarlierCrawls | undefined> {
  const { previous } = options;
  if (previous === undefined) return undefined;
  const [{ openEarlier }, { readFolder }] = await Promise.all([
    import('../folder/earlier-crawls.ts'),
    import('@webfarer/coordinator'),
  ]);
  const given = givenIn(options);
  return await openEarlier(previous, (folder) => readFolder(folder, { given }));
}

export async function* onlyItems(results: Results, crawl: CrawlId): AsyncIterable<unknown> {
  for await (const { item } of results.items(crawl)) yield item;
}

/** One JSON value a line, under a temporary name until complete. */
export async function writeLines(file: string, values: AsyncIterable<unknown>): Promise<void> {
  async function* lines(): AsyncIterable<string> {
    let chunk = '';
    for await (const value of values) {
      chunk += `${JSON.stringify(value)}\n`;
      if (chunk.length > 65_536) {
        yield chunk;
        chunk = '';
      }
    }
    yield chunk;
  }
  await pipeline(lines(), createWriteStream(`${file}.new`));
  await renameDurably(`${file}.new`, file);
}

async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const { size } = await stat(file);
  return { bytes: size, sha256: hash.digest('hex') };
}
