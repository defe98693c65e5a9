import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Balance,
  type CrawlId,
  type CrawlState,
  type StoreChoice,
  suffixListVersion,
  WebfarerError,
} from '@webfarer/protocol';
import { writeDurably } from '@webfarer/protocol/durable-file';

export const manifestName = 'crawl.json';
export const databaseName = 'crawl.db';
/** What a coordinator keeps in the folder beside the crawl itself. */
export const coordinatorFiles: ReadonlySet<string> = new Set([
  'coordinator.json',
  'worker.token',
  'operator.token',
  'outbox.jsonl',
  'spool',
  'events.jsonl',
  'events.1.jsonl',
]);

/** `crawl.json`: what this folder is, how it was made, where it stands. `webfarer run crawl.json` repeats it. */
export interface Manifest {
  format: 1;
  webfarer: string;
  id: CrawlId;
  name: string;
  createdAt: string;
  /** The job as it was written. */
  job: unknown;
  /** Where its modules and seed files are found. */
  baseFolder: string;
  /** The seeds as they are crawled, with https or http decided. */
  seeds: string[];
  /** Where the crawl is kept if not here: then `id` is its name there. No password: that is in a file of its own. */
  store?: StoreChoice & {
    /** This folder among those that share the crawl. */
    member: string;
  };
  /** Workers on other machines take part, or did: that this folder is locked says nothing about those. */
  network?: {
    /** This folder among those that have captures of the crawl. */
    member: string;
  };
  /** In a recrawl: the crawl it is compared with. The folder is relative to this one. */
  previous?: { folder: string; id: CrawlId };
  userAgent: string;
  suffixList: string;
  node: string;
  session: Session;
  outputs?: Record<string, { bytes: number; sha256: string }>;
  robots?: { origin: string; fetchedAt: string; state: string; sha256: string }[];
}

/** A folder among several of a crawl; undefined where it is the only one. */
export function memberOf({ store, network }: Pick<Manifest, 'store' | 'network'>): string | undefined {
  return store?.member ?? network?.member;
}

export interface Session {
  state: CrawlState;
  updatedAtMs: number;
  elapsedMs: number;
  balance?: Balance;
  limitedBy?: string;
}

export interface NewManifest {
  webfarer: string;
  name: string;
  job: unknown;
  baseFolder: string;
  seeds: string[];
  userAgent: string;
  nowMs: number;
  store?: Manifest['store'];
}

export function newManifest(about: NewManifest): Manifest {
  return {
    format: 1,
    webfarer: about.webfarer,
    id: (about.store ? about.name : randomUUID()) as CrawlId,
    name: about.name,
    createdAt: new Date(about.nowMs).toISOString(),
    job: about.job,
    baseFolder: about.baseFolder,
    seeds: about.seeds,
    ...(about.store ? { store: about.store } : {}),
    userAgent: about.userAgent,
    suffixList: suffixListVersion,
    node: process.versions.node,
    session: { state: 'running', updatedAtMs: about.nowMs, elapsedMs: 0 },
  };
}

/** The manifest of a crawl folder; undefined when there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format !== 1)
      throw new Error(`format ${String(manifest.format)} is not known to this version`);
    return manifest;
  } catch (error) {
    throw new WebfarerError(
      'folder-foreign',
      `${join(folder, manifestName)} cannot be read: ${(error as Error).message}`,
      {
        next: 'Use another folder with --out, or a newer webfarer.',
        cause: error,
      },
    );
  }
}

/** Replaced whole, so a crash leaves the old one or the new one. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeDurably(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}
