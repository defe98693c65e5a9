import { type Manifest, memberOf } from '@webfarer/coordinator';
import type { DatedClock, Job } from '@webfarer/protocol';
import { archivePlace } from '@webfarer/protocol/job';
import type { HostMatch } from '@webfarer/protocol/url';
import {
  type Erased,
  eraseArchive,
  eraseObjects,
  keepInObjects,
  keepShared,
  mendSavers,
  type MovedCapture,
  openObjectStore,
  saverOptions,
  whenFilesComplete,
} from '@webfarer/worker';
import { openArchive } from '@webfarer/worker/archive';
import { version } from '../machine/version.ts';

/** The captures of a crawl: in its folder, and in object storage where its job says so. */
export interface CrawlArchive {
  /** Copies what other hosts need of captures that go. Nothing is erased yet. */
  keep(): Promise<Kept[]>;
  erase(): Promise<Erased & { left: string[] }>;
  close(): void;
}

/** A capture that has another place now, as its record names the old one. */
export type Kept = Omit<MovedCapture, 'url' | 'mime'> & { member?: string };

export interface CrawlArchiveOptions {
  folder: string;
  manifest: Manifest;
  job: Job;
  match: HostMatch;
  clock: DatedClock;
}

/** Files that a crash left open are completed first, or cut to what is whole. */
export async function openCrawlArchive(options: CrawlArchiveOptions): Promise<CrawlArchive> {
  const { folder, manifest, job, match, clock } = options;
  const { id, nonce = id, baseFolder, userAgent } = manifest;
  const own = memberOf(manifest);
  const member = own === undefined ? {} : { member: own };
  const objects = archivePlace(job, { id, nonce });
  const savers = saverOptions({ job, userAgent, baseFolder, folder, version, clock, objects, ...member });
  await mendSavers(job.save, savers);
  const store = objects && (await openObjectStore(objects));
  if (store) await whenFilesComplete(store, clock);
  return {
    async keep() {
      const files = (await openArchive(folder).files()).filter(({ kind }) => kind === 'warc');
      const keeping = { ...savers, folder, files, match, clock };
      const moved = store
        ? await keepInObjects({ ...keeping, store, scratch: folder })
        : await keepShared(keeping);
      return moved.map(({ url: _url, mime: _mime, ...place }) =>
        // Names of files in object storage are unique there.
        place.from.shared ? place : { ...place, ...member },
      );
    },
    async erase() {
      const local = await eraseArchive(folder, { match, nowMs: clock.now() });
      const files = local.left.map(notRewritten);
      if (!store) return { ...local, left: files };
      const stored = await eraseObjects({ store, match, nowMs: clock.now(), scratch: folder });
      return {
        captures: local.captures + stored.captures,
        bytes: local.bytes + stored.bytes,
        left: [...files, ...stored.left],
      };
    },
    close: () => store?.close(),
  };
}

export const notRewritten = (name: string): string =>
  name.endsWith('.open')
    ? `${name}: this file is not complete yet`
    : `${name}: this kind of file cannot be rewritten`;
