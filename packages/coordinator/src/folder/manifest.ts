import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Balance, type CrawlId, type CrawlState, type Stall, WebfarerError } from '@webfarer/protocol';
import type { StoreChoice } from '@webfarer/protocol/job';
import { suffixListVersion } from '@webfarer/protocol/url';
import { writeDurably } from '@webfarer/protocol/node';
import { readAbout, writeAbout } from '../frontier/sqlite/rows/about.ts';
import { keepHeaderValues, withHeaderValues } from './header-values.ts';

export const manifestName = 'crawl.json';
export const databaseName = 'crawl.db';
/** What a coordinator keeps in the folder beside the crawl itself. */
const coordinatorFiles: ReadonlySet<string> = new Set([
  'coordinator.json',
  'worker.token',
  'operator.token',
  'tokens.json',
  'registry.db',
  'registry.db-wal',
  'registry.db-shm',
  'outbox.jsonl',
  'spool',
  'events.jsonl',
  'events.1.jsonl',
  'crawls',
]);
/** With what SQLite leaves beside them. */
const coordinatorDatabases = /^(catalog|hosts|registry)\.db(-\w+)?$/;

export function isCoordinatorFile(name: string): boolean {
  return coordinatorFiles.has(name) || coordinatorDatabases.test(name);
}

/** `crawl.json`: what this folder is, how it was made, where it stands. `webfarer run crawl.json` repeats it. */
export interface Manifest {
  format: 1;
  webfarer: string;
  id: CrawlId;
  name: string;
  createdAt: string;
  /** The job as it was written. On disk, keys among its request headers are in a file of their own. */
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
  /** Which crawl of this id it is, by the catalog of its store. */
  nonce?: string;
  /** Workers on other machines take part, or did: that this folder is locked says nothing about those. */
  network?: {
    /** This folder among those that have captures of the crawl. */
    member: string;
  };
  /** Pages are handled by a function of the user's own program: nothing but that program may crawl here. */
  ownCode?: true;
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
  /** Why it made no progress when this was written. */
  stall?: Stall;
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
  /** Where the catalog has them already. */
  id?: CrawlId;
  nonce?: string;
}

export function newManifest(about: NewManifest): Manifest {
  return {
    format: 1,
    webfarer: about.webfarer,
    id: about.id ?? ((about.store ? about.name : randomUUID()) as CrawlId),
    ...(about.nonce === undefined ? {} : { nonce: about.nonce }),
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

/**
 * The manifest of a crawl folder; undefined when there is none. Where crawl.json is missing or unreadable, the copy
 * inside crawl.db takes its place again.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, manifestName);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  const found = text === undefined ? undefined : parseManifest(text);
  if (found?.ok) return await whole(folder, found.manifest);
  const copy = existsSync(join(folder, databaseName)) ? readAbout(join(folder, databaseName)) : undefined;
  const kept = copy === undefined ? undefined : parseManifest(copy);
  if (copy !== undefined && kept?.ok) {
    // A folder that cannot be written can still be read.
    await writeDurably(file, copy).catch(() => undefined);
    return await whole(folder, kept.manifest);
  }
  if (found === undefined) return undefined;
  throw new WebfarerError('folder-foreign', `${file} cannot be read: ${found.why}`, {
    next: 'Use another folder, or a newer webfarer.',
  });
}

async function whole(folder: string, manifest: Manifest): Promise<Manifest> {
  return { ...manifest, job: await withHeaderValues(folder, manifest.job) };
}

type Parsed = { ok: true; manifest: Manifest } | { ok: false; why: string };

function parseManifest(text: string): Parsed {
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format === 1) return { ok: true, manifest };
    return { ok: false, why: `format ${String(manifest.format)} is not known to this version` };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/** Writes crawl.json, and the copy of it inside crawl.db where the folder has one; neither has keys of the job. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<{ chars: number }> {
  const job = await keepHeaderValues(folder, manifest.job);
  const text = `${JSON.stringify({ ...manifest, job }, null, 2)}\n`;
  await writeDurably(join(folder, manifestName), text);
  if (existsSync(join(folder, databaseName))) writeAbout(join(folder, databaseName), text);
  return { chars: text.length };
}

/** `crawl.json` of a crawl that is open: its session and edits of its job are written at any time. */
export interface ManifestFile {
  readonly folder: string;
  /** Writes the manifest as it is when its turn comes: no older job takes the place of an edited one. */
  write(): Promise<{ chars: number }>;
}

export function manifestFile(folder: string, manifest: Manifest): ManifestFile {
  let last: Promise<unknown> = Promise.resolve();
  return {
    folder,
    async write() {
      const mine = last.then(() => writeManifest(folder, manifest));
      last = mine.catch(() => undefined);
      return await mine;
    },
  };
}
