import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DatedClock, type Job, WebfarerError } from '@webfarer/protocol';
import type { TarCompression } from '@webfarer/protocol/job';
import { packings } from '../../archive/tar/packings.ts';
import { crawlKey } from '../../archive/objects/layout.ts';
import { type ObjectPlace, openObjectStore } from '../../objects/object-place.ts';
import type { FileUploads } from '../file-uploads.ts';
import { objectUploads } from '../objects/object-uploads.ts';
import type { OpenCaptureStore } from '../../archive/redis/capture-store.ts';
import { redisSaver } from '../redis/redis-saver.ts';
import { filesSaver } from './files-saver.ts';
import { markdownSaver } from './markdown-saver.ts';
import { noneSaver } from './none-saver.ts';
import type { Saver } from '../saver.ts';
import { tarSaver } from '../tar/tar-saver.ts';
import { type CaptureSpool, warcSaver } from '../warc/warc-saver.ts';

type SaveTarget = Job['save'][number];

export interface OpenSaversOptions {
  /** The crawl folder, absolute. */
  folder: string;
  /** The crawl's name. */
  name: string;
  clock: DatedClock;
  /** `webfarer/0.1.0`: what the archives say wrote them. */
  software: string;
  /** Folder of the job file: a user's own module is found from here. */
  baseFolder: string;
  /** More lines for the head of each WARC file: operator, robots, http-header-user-agent, ... */
  info?: [string, string][];
  /** Which of several processes this is, counted from 1: then it touches no file of another. */
  process?: number;
  /** Where in object storage the archive of the crawl is; needed by jobs that say so. */
  objects?: ObjectPlace;
  /** The server that captures go to where a job says redis; absent: there is none. */
  captureStore?: OpenCaptureStore;
  /** Where captures wait that the job wants on the coordinator's disk; without it this is that disk. */
  spool?: CaptureSpool;
}

/** What a user's own module gets to make its saver. */
export type SaverContext = Pick<OpenSaversOptions, 'folder' | 'name' | 'clock' | 'process'>;

/** The savers a job asks for, started. Should one not start, those before it are stopped again. */
export async function openSavers(targets: Job['save'], options: OpenSaversOptions): Promise<Saver[]> {
  refuseTwins(targets);
  const savers: Saver[] = [];
  try {
    for (const target of targets) {
      const saver = await createSaver(target, options);
      await started(saver, target);
      savers.push(saver);
    }
  } catch (error) {
    await Promise.allSettled(savers.map((saver) => saver.stop()));
    throw error;
  }
  return savers;
}

/** A user's own may throw whatever it likes. */
async function started(saver: Saver, target: SaveTarget): Promise<void> {
  try {
    await saver.start();
  } catch (error) {
    if (target.kind !== 'module' || error instanceof WebfarerError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new WebfarerError('job-invalid', `the saver ${target.path} does not start: ${why}`, {
      cause: error,
    });
  }
}

/**
 * Mends what a crash of any earlier process left and completes it, before several processes begin with files
 * of their own. Answers what there is. A user's own savers mend themselves.
 */
export async function mendSavers(targets: Job['save'], options: OpenSaversOptions) {
  // A server has nothing to mend.
  const ours = targets.filter(({ kind }) => kind !== 'module' && kind !== 'redis');
  const savers = await openSavers(ours, options);
  for (const saver of savers) await saver.stop();
  const all = savers.map((saver) => saver.written());
  return {
    files: all.reduce((sum, { files }) => sum + files, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Two of a kind would write to the same files. */
function refuseTwins(targets: Job['save']): void {
  const kinds = targets.map((target) => {
    if (target.kind === 'tar') return packings[compressionOf(target)].ext.slice(1);
    return target.kind === 'module' ? target.path : target.kind;
  });
  const twin = kinds.find((kind, i) => kinds.indexOf(kind) !== i);
  if (twin === undefined) return;
  throw new WebfarerError('job-invalid', `save names ${twin} twice`, { next: 'Name each saver once' });
}

/** A coordinator of the version before says `gzip` instead. */
function compressionOf(target: Extract<SaveTarget, { kind: 'tar' }>): TarCompression {
  const { compress, gzip } = target as { compress?: TarCompression; gzip?: boolean };
  return compress ?? (gzip ? 'gz' : 'none');
}

async function createSaver(target: SaveTarget, options: OpenSaversOptions): Promise<Saver> {
  const { folder, name, clock, software, info, process, spool, objects } = options;
  const shared = process === undefined ? {} : { process };
  switch (target.kind) {
    case 'warc':
      return warcSaver({
        folder,
        name,
        clock,
        software,
        rotateBytes: target.rotateBytes,
        dedupe: target.dedupe,
        ...(spool && target.at === 'coordinator' && { spool }),
        ...(objects && target.at === 'objects' && { uploads: await openUploads(objects, options) }),
        ...(info && { info }),
        ...shared,
      });
    case 'none':
      return noneSaver();
    case 'files':
      return filesSaver({ folder, name: target.name, ...shared });
    case 'tar':
      return tarSaver({
        folder,
        name,
        template: target.name,
        compress: compressionOf(target),
        clock,
        ...shared,
      });
    case 'markdown':
      return markdownSaver({ ...target, folder, crawl: name, clock, ...shared });
    case 'redis':
      return redisSaver({
        open: options.captureStore ?? noCaptureStore,
        crawl: name,
        key: target.key,
        maxBodyBytes: target.maxBodyBytes,
        ttlSeconds: target.ttlMs === undefined ? undefined : Math.max(1, Math.ceil(target.ttlMs / 1_000)),
      });
    case 'module':
      return loadSaver(target.path, options);
  }
}

/** Asks once for what is needed later: a wrong address or missing rights show before the first page is fetched. */
async function openUploads(
  place: ObjectPlace,
  { folder, clock, name }: OpenSaversOptions,
): Promise<FileUploads> {
  const store = await openObjectStore(place);
  await store.put(crawlKey, Buffer.from(`${JSON.stringify({ format: 1, name })}\n`));
  return objectUploads({ store, clock, scratch: folder });
}

function noCaptureStore(): Promise<never> {
  return Promise.reject(
    new WebfarerError('usage', 'the job saves to Redis, but this worker has no server for captures', {
      next: 'Pass captureStore to openWorker, or leave redis out of save.',
    }),
  );
}

/** A module exports `saver`: a Saver, or a function of the context that makes one. */
async function loadSaver(path: string, options: OpenSaversOptions): Promise<Saver> {
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(resolve(options.baseFolder, path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw new WebfarerError('job-invalid', `cannot load the saver ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const { folder, name, clock, process } = options;
  const context: SaverContext = { folder, name, clock, ...(process !== undefined && { process }) };
  const found: unknown = typeof loaded.saver === 'function' ? await loaded.saver(context) : loaded.saver;
  if (!isSaver(found)) {
    throw new WebfarerError('job-invalid', `${path} exports no saver`, {
      next: 'Write: export function saver({ folder }) { return { name, start, save, sync, stop, written } }',
    });
  }
  return found;
}

function isSaver(value: unknown): value is Saver {
  if (typeof value !== 'object' || value === null) return false;
  const made = value as Record<string, unknown>;
  const verbs = ['start', 'save', 'sync', 'stop', 'written'];
  return typeof made.name === 'string' && verbs.every((verb) => typeof made[verb] === 'function');
}
