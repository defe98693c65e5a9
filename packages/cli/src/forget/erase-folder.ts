import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  forgetAll,
  type FolderFrontier,
  type Forgotten,
  type Manifest,
  memberOf,
  writeManifest,
} from '@webfarer/coordinator';
import type { HostKey, Job, PageRecord } from '@webfarer/protocol';
import { allSaved } from '@webfarer/protocol/crawl';
import type { HostMatch } from '@webfarer/protocol/url';
import { type Erased, eraseArchive, filesNamedAfter, removeFiles } from '@webfarer/worker';
import {
  type CrawlArchive,
  type CrawlArchiveOptions,
  notRewritten,
  openCrawlArchive,
} from './crawl-archive.ts';
import { cleanLogs, cleanManifest, removeDerived, stillNaming } from './folder-traces.ts';

export interface FolderErasing extends CrawlArchiveOptions {
  frontier: FolderFrontier;
  /** Writes what is made of records and captures again, where it had been written. */
  writeOutputs: (manifest: Manifest) => Promise<Manifest['outputs'] | undefined>;
}

/** Savers whose files are rewritten or removed here. */
const ownSavers: ReadonlySet<string> = new Set(['warc', 'tar', 'files', 'markdown', 'none']);

/** What would be deleted. Changes nothing. */
export async function countInFolder({
  folder,
  manifest,
  job,
  frontier,
  match,
  clock,
}: Omit<FolderErasing, 'writeOutputs'>): Promise<Forgotten> {
  const { files, stored, elsewhere } = await savedFiles(frontier, manifest, match);
  const archive = await eraseArchive(folder, { match, nowMs: clock.now(), dryRun: true });
  const urls = await countUrls(frontier, manifest, match);
  const left = [...archive.left.map(notRewritten), ...ownElsewhere(job), ...inOtherFolders(elsewhere)];
  return summary({ match, urls, parts: [archive, stored], files: files.size, left });
}

/**
 * Deletes everything of a host from the folder of a crawl that nobody works on. Each step can be repeated, and is, when a
 * crash cuts it off: the tombstone says `pending` until the last one is done. Nothing is erased before what other hosts
 * need of it is recorded elsewhere, and no record goes before the files that only it names.
 */
export async function eraseFolder(options: FolderErasing): Promise<Forgotten> {
  const { manifest, frontier, match } = options;
  const { id: crawl } = manifest;
  const order = { pattern: match.pattern, moved: [] };
  // From here on the host does not come back, whatever happens.
  await frontier.forget(crawl, order, '');
  const archive = await openCrawlArchive(options);
  try {
    return await eraseWith(archive, options);
  } finally {
    archive.close();
  }
}

async function eraseWith(archive: CrawlArchive, options: FolderErasing): Promise<Forgotten> {
  const { folder, manifest, job, frontier, match, clock } = options;
  const { id: crawl } = manifest;
  const moved = await archive.keep();
  const { files, elsewhere } = await savedFiles(frontier, manifest, match);
  const isHost = (part: string) => match.host(part.replace(/-\d+$/, '') as HostKey);
  for (const name of await filesNamedAfter(folder, isHost)) files.add(name);
  const removed = await removeFiles(folder, files);
  const urls = await forgetAll(frontier, crawl, { pattern: match.pattern, moved }, (ms) => clock.sleep(ms));
  const erased = await archive.erase();
  const wasWritten = manifest.outputs !== undefined || existsSync(join(folder, 'archive', 'index.cdxj'));
  await removeDerived(folder);
  await cleanLogs(folder, match);
  const cleaned = cleanManifest(manifest, match);
  const outputs = wasWritten ? await options.writeOutputs(cleaned) : undefined;
  await writeManifest(folder, outputs ? { ...cleaned, outputs } : cleaned);
  const left = [
    ...erased.left,
    ...ownElsewhere(job),
    ...inOtherFolders(elsewhere),
    ...(await stillNaming(folder, match)).map((name) => `${name} names the host: edit or delete it`),
  ];
  const done = summary({ match, urls, parts: [erased], files: removed, left });
  if (left.length === 0)
    await frontier.forgot(crawl, match.pattern, { urls: done.urls, captures: done.captures });
  return done;
}

function inOtherFolders(elsewhere: ReadonlyMap<string, number>): string[] {
  return [...elsewhere].map(
    ([place, n]) =>
      `${n} captures in the folder of ${place}: run the command there too, or delete the folder`,
  );
}

/** What records of the host name: files of one capture each, captures in object storage, and those in folders of others. */
async function savedFiles(frontier: FolderFrontier, manifest: Manifest, match: HostMatch) {
  const own = memberOf(manifest);
  const files = new Set<string>();
  const stored = { captures: 0, bytes: 0 };
  const elsewhere = new Map<string, number>();
  for await (const record of frontier.results.records(manifest.id, filterOf(match))) {
    for (const at of ofHost(record, match)) {
      if (at.shared) {
        stored.captures++;
        stored.bytes += at.length ?? 0;
      } else if (own !== undefined && at.member !== own) {
        const place = at.member ?? 'another process';
        elsewhere.set(place, (elsewhere.get(place) ?? 0) + 1);
      } else if (at.offset === undefined) files.add(at.file);
    }
  }
  return { files, stored, elsewhere };
}

const ofHost = (record: PageRecord, match: HostMatch) => (match.url(record.url) ? allSaved(record) : []);

/** One host is looked up, a domain is looked for among all. */
function filterOf({ pattern }: HostMatch): { host?: HostKey } {
  return pattern.startsWith('*.') ? {} : { host: pattern as HostKey };
}

async function countUrls(frontier: FolderFrontier, manifest: Manifest, match: HostMatch): Promise<number> {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await frontier.urls(manifest.id, { filter: filterOf(match), after, limit: 1_000 });
    count += page.urls.filter((known) =>
      match.url('entry' in known ? known.entry.url : known.record.url),
    ).length;
    after = page.next;
  }
  return count;
}

/** What only its own tools can delete. */
function ownElsewhere(job: Job): string[] {
  return job.save
    .filter(({ kind }) => !ownSavers.has(kind))
    .map(({ kind }) => `save: ${kind}: delete there what it has saved`);
}

interface Sums {
  match: HostMatch;
  urls: number;
  /** Files of this folder, and objects. */
  parts: readonly Erased[];
  files: number;
  left: string[];
}

function summary({ match, urls, parts, files, left }: Sums): Forgotten {
  const captures = parts.reduce((sum, part) => sum + part.captures, files);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return { pattern: match.pattern, urls, captures, bytes, left };
}
