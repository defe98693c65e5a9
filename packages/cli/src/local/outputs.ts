import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Manifest, Results } from '@webfarer/coordinator';
import { writeReport } from '@webfarer/graph';
import type { CrawlId, CrawlSnapshot, Job, Url } from '@webfarer/protocol';
import type { FileRules } from '@webfarer/protocol/job';
import { renameDurably } from '@webfarer/protocol/node';
import { ownCaptures, writeCdxj } from '@webfarer/worker/archive';

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
  // Bodies may all be in folders of workers on other machines.
  if (job.save.some((target) => target.kind === 'warc') && existsSync(join(folder, 'archive'))) {
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
  if (job.files) await collectFiles(options, job.files);
  if (existsSync(join(folder, 'files.jsonl'))) files.push('files.jsonl');
  if (job.mirror) await mirror(options);
  const outputs: NonNullable<Manifest['outputs']> = {};
  for (const name of files) outputs[name] = await digestOf(join(folder, name));
  return outputs;
}

async function collectFiles(options: OutputOptions, rules: FileRules): Promise<void> {
  const { folder, crawl, results, member, seeds } = options;
  const [{ writeFoundFiles }, { sqlite }] = await Promise.all([
    import('@webfarer/worker/mirror'),
    import('@webfarer/coordinator/reading'),
  ]);
  const records = () => ownCaptures(results.records(crawl), member);
  const edges = () => results.edges(crawl);
  await writeFoundFiles({ folder, rules, seeds, records, edges, sqlite: sqlite() });
}

/** Made of captures that are in this folder; links to what is elsewhere lead to the live site. */
async function mirror({ folder, crawl, job, results, member, mirrorTo }: OutputOptions): Promise<void> {
  const [{ writeMirror }, { sqlite }] = await Promise.all([
    import('@webfarer/worker/mirror'),
    import('@webfarer/coordinator/reading'),
  ]);
  const records = () => ownCaptures(results.records(crawl), member);
  await writeMirror({ folder, to: mirrorTo, job, records, sqlite: sqlite() });
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
