import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Clock, type Job, WebfarerError } from '@webfarer/protocol';
import { filesSaver } from './files-saver.ts';
import { markdownSaver } from './markdown-saver.ts';
import { noneSaver } from './none-saver.ts';
import type { Saver } from '../saver.ts';
import { tarSaver } from './tar-saver.ts';
import { type CaptureSpool, warcSaver } from '../warc/warc-saver.ts';

type SaveTarget = Job['save'][number];

export interface OpenSaversOptions {
  /** The crawl folder, absolute. */
  folder: string;
  /** The crawl's name. */
  name: string;
  clock: Clock;
  /** `webfarer/0.1.0`: what the archives say wrote them. */
  software: string;
  /** Folder of the job file: a user's own module is found from here. */
  baseFolder: string;
  /** More lines for the head of each WARC file: operator, robots, http-header-user-agent, ... */
  info?: [string, string][];
  /** Which of several processes this is, counted from 1: then it touches no file of another. */
  process?: number;
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
      await saver.start();
      savers.push(saver);
    }
  } catch (error) {
    await Promise.allSettled(savers.map((saver) => saver.stop()));
    throw error;
  }
  return savers;
}

/**
 * Mends what a crash of any earlier process left and completes it, before several processes begin with files
 * of their own. Answers what there is. A user's own savers mend themselves.
 */
export async function mendSavers(targets: Job['save'], options: OpenSaversOptions) {
  const ours = targets.filter((target) => target.kind !== 'module');
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
    if (target.kind === 'tar') return target.gzip ? 'tar.gz' : 'tar';
    return target.kind === 'module' ? target.path : target.kind;
  });
  const twin = kinds.find((kind, i) => kinds.indexOf(kind) !== i);
  if (twin === undefined) return;
  throw new WebfarerError('job-invalid', `save names ${twin} twice`, { next: 'Name each saver once' });
}

async function createSaver(target: SaveTarget, options: OpenSaversOptions): Promise<Saver> {
  const { folder, name, clock, software, info, process, spool } = options;
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
        ...(info && { info }),
        ...shared,
      });
    case 'none':
      return noneSaver();
    case 'files':
      return filesSaver({ folder, name: target.name, ...shared });
    case 'tar':
      return tarSaver({ folder, name, template: target.name, gzip: target.gzip, clock, ...shared });
    case 'markdown':
      return markdownSaver({ ...target, folder, crawl: name, clock, ...shared });
    case 'module':
      return loadSaver(target.path, options);
  }
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
