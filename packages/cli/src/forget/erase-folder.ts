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
import { cleanLogs, cleanManifest, leftInFolder, removeDerived } from './folder-traces.ts';

export interface FolderErasing extends CrawlArchiveOptions {
  frontier: FolderFrontier;
  /** Folders of others that are known to be deleted, by their members. */
  gone: readonly string[];
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
}: Omit<FolderErasing, 'writeOutputs' | 'gone'>): Promise<Forgotten> {
  const { files, stored, elsewhere } = await savedFiles(frontier, manifest, match);
  const archive = await eraseArchive(folder, { match, nowMs: clock.wall(), dryRun: true });
  const urls = await countUrls(frontier, manifest, match);
  const left = [
    ...archive.left.map(notRewritten),
    ...ownElsewhere(job),
    ...(await inOtherFolders(frontier, { manifest, match }, Object.fromEntries(elsewhere))),
  ];
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
  // Who has the captures is known only as long as their records are there.
  const own = memberOf(manifest);
  const gone = own === undefined ? options.gone : [own, ...options.gone];
  const order = { pattern: match.pattern, moved, elsewhere: Object.fromEntries(elsewhere), gone };
  const urls = await forgetAll(frontier, crawl, order, (ms) => clock.sleep(ms));
  const erased = await archive.erase();
  const wasWritten = manifest.outputs !== undefined || existsSync(join(folder, 'archive', 'index.cdxj'));
  await removeDerived(folder);
  await cleanLogs(folder, match);
  const cleaned = cleanManifest(manifest, match);
  const outputs = wasWritten ? await options.writeOutputs(cleaned) : undefined;
  await writeManifest(folder, outputs ? { ...cleaned, outputs } : cleaned);
  const tombstone = (await frontier.forgotten(crawl)).find(({ pattern }) => pattern === match.pattern);
  const here = [...erased.left, ...(await leftInFolder(folder, match, tombstone?.sinceMs ?? clock.wall()))];
  for (const member of here.length === 0 ? gone : options.gone)
    await frontier.folders?.erased(crawl, member, match.pattern);
  const left = [
    ...here,
    ...ownElsewhere(job),
    ...(await inOtherFolders(frontier, options, tombstone?.elsewhere ?? {})),
  ];
  const found = summary({ match, urls, parts: [erased], files: removed, left });
  if (left.length === 0)
    await frontier.forgot(crawl, match.pattern, { urls: found.urls, captures: found.captures });
  return found;
}

/** Processes of the store that have not erased the host from their folders yet, and captures in all other folders. */
async function inOtherFolders(
  frontier: FolderFrontier,
  { manifest, match }: Pick<FolderErasing, 'manifest' | 'match'>,
  elsewhere: Readonly<Record<string, number>>,
): Promise<string[]> {
  const own = memberOf(manifest);
  const all = (await frontier.folders?.holding(manifest.id, match.pattern)) ?? [];
  const others = all.filter(({ member }) => member !== own);
  const known = new Set(others.map(({ member }) => member));
  return [
    ...others.map(
      ({ member, folder, machine }) =>
        `results, report and index of ${member} in ${folder} on ${machine}: run the command there too, or with --gone ${member} if the folder was deleted`,
    ),
    ...Object.entries(elsewhere)
      .filter(([member]) => !known.has(member))
      .map(
        ([member, n]) =>
          `${n} captures in the folder of ${member}: delete the folder, then repeat the command with --gone ${member}`,
      ),
  ];
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
