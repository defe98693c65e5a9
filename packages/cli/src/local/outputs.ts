import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { GivenStore, Manifest, Results } from '@webfarer/coordinator';
import { beginReport, type BegunReport } from '@webfarer/graph/report';
import type { CrawlId, CrawlSnapshot, Job, Url } from '@webfarer/protocol';
import { archivePlace } from '@webfarer/protocol/job';
import { writeDurably } from '@webfarer/protocol/node';
import { withoutUserinfo } from '@webfarer/protocol/url';
import type { CrawlSource } from '@webfarer/worker/archive';
import type { EarlierCrawls } from '../folder/earlier-crawls.ts';
import { itemChangesName } from '../folder/item-changes-file.ts';
import { type Digest, openLines, written } from './line-file.ts';

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
  const { folder, crawl, results, job, snapshot, absent } = options;
  const report = beginReport({ snapshot, limits: job.limits, absent });
  const { lines, index } = await writeRecords(options, report);
  const outputs: NonNullable<Manifest['outputs']> = { 'results.jsonl': lines };
  if (options.hasItems)
    outputs['items.jsonl'] = await writeLines(join(folder, 'items.jsonl'), onlyItems(results, crawl));
  const changes = await writeItemChanges(options);
  if (changes) outputs[itemChangesName] = changes;
  if (index !== undefined) outputs['archive/index.cdxj'] = await digestOf(index);
  await writeDurably(join(folder, 'report.html'), await report.finish(results.edges(crawl)));
  if (job.files || job.mirror) await writeCopies(options);
  const found = join(folder, 'files.jsonl');
  if (existsSync(found)) outputs['files.jsonl'] = await digestOf(found);
  return outputs;
}

/** Everything that is made of records alone, in one pass: `results.jsonl`, the index of the archive, the report's part. */
async function writeRecords(
  { folder, crawl, job, results, member }: OutputOptions,
  report: BegunReport,
): Promise<{ lines: Digest; index: string | undefined }> {
  const file = await openLines(join(folder, 'results.jsonl'));
  try {
    const records = passing(written(results.records(crawl), file), report.add);
    const index = await indexFile(folder, job);
    if (index === undefined) for await (const _ of records);
    else {
      const { ownCaptures, writeCdxj } = await import('@webfarer/worker/archive');
      await writeCdxj(ownCaptures(records, member), index);
    }
    return { lines: await file.finish(), index };
  } finally {
    await file.close();
  }
}

async function* passing<T>(values: AsyncIterable<T>, look: (value: T) => void): AsyncGenerator<T> {
  for await (const value of values) {
    look(value);
    yield value;
  }
}

/** Bodies may all be in folders of workers on other machines, or in object storage, which is indexed from anywhere. */
async function indexFile(folder: string, job: Job): Promise<string | undefined> {
  const warc = job.save.find((target) => target.kind === 'warc');
  const archive = join(folder, 'archive');
  if (warc?.at === 'objects') await mkdir(archive, { recursive: true });
  return warc && existsSync(archive) ? join(archive, 'index.cdxj') : undefined;
}

/** In a recrawl: every item of this crawl and of the one before, with what became of it; undefined: there is none. */
async function writeItemChanges(options: OutputOptions): Promise<Digest | undefined> {
  const { folder, job, manifest, previous } = options;
  if (previous === undefined) return undefined;
  const { itemChangesIn } = await import('@webfarer/coordinator/reading');
  const given = givenIn(options);
  const file = join(folder, itemChangesName);
  const changes = await writeLines(
    file,
    itemChangesIn({ folder, manifest, previous, given, key: job.itemKey }),
  );
  if (changes.bytes > 0) return changes;
  await rm(file);
  return undefined;
}

/** A thread has no secrets but those of its task. */
function givenIn({ job: { store } }: OutputOptions): GivenStore {
  return (url) => (store && withoutUserinfo(store.url) === url ? store.url : undefined);
}

/** Made of captures that are in this folder, or unchanged in the one of the crawl before. */
async function writeCopies(options: OutputOptions): Promise<void> {
  const { folder, crawl, job, results, member, seeds, mirrorTo: to, manifest } = options;
  const objects = archivePlace(job, { id: crawl, nonce: manifest.nonce ?? manifest.id });
  const [{ writeFoundFiles, writeMirror }, { openArchive, ownCaptures }, { sqlite }] = await Promise.all([
    import('@webfarer/worker/mirror'),
    import('@webfarer/worker/archive'),
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

async function* onlyItems(results: Results, crawl: CrawlId): AsyncIterable<unknown> {
  for await (const { item } of results.items(crawl)) yield item;
}

async function writeLines(file: string, values: AsyncIterable<unknown>): Promise<Digest> {
  const lines = await openLines(file);
  try {
    for await (const _ of written(values, lines));
    return await lines.finish();
  } finally {
    await lines.close();
  }
}

async function digestOf(file: string): Promise<Digest> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const { size } = await stat(file);
  return { bytes: size, sha256: hash.digest('hex') };
}
