import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { Manifest } from '@webfarer/coordinator';
import { renameDurably, writeDurably } from '@webfarer/protocol/node';
import type { HostMatch } from '@webfarer/protocol/url';
import { cookiesName } from '@webfarer/worker';

/** Made of records and captures, and made again of what is left; an index that a command makes when it needs one. */
const derived =
  /^(?:results|items|item-changes|files)\.jsonl$|^(?:report|graph)\.html$|^files\.links$|^(?:search|files|mirror)\.db(?:-\w+)?$|^dependencies\.|^mirror$/;
/** Lines of JSON about URLs: events, and pages whose handlers are run again. */
const logs = /^(?:events(?:\.\d+)?|stored-retries|outbox)\.jsonl$/;

/** Removes everything that is made of records and captures. */
export async function removeDerived(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (derived.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Takes lines that name the host out of logs, and its cookies out of the jar. */
export async function cleanLogs(folder: string, match: HostMatch): Promise<void> {
  for (const name of await readdir(folder)) {
    if (logs.test(name)) await dropLines(join(folder, name), (line) => match.mentions(line));
    if (name === cookiesName) await dropCookies(join(folder, name), match);
  }
}

/** Replaces the file only where a line goes. */
export async function dropLines(file: string, isGone: (line: string) => boolean): Promise<void> {
  let dropped = 0;
  async function* kept(): AsyncGenerator<string> {
    const input = createReadStream(file);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (isGone(line)) dropped++;
      else yield `${line}\n`;
    }
  }
  const beside = `${file}.erasing`;
  await pipeline(kept(), createWriteStream(beside));
  if (dropped > 0) await renameDurably(beside, file);
  else await rm(beside);
}

interface StoredJar {
  cookies?: { domain?: string | null }[];
}

async function dropCookies(file: string, match: HostMatch): Promise<void> {
  const jar = JSON.parse(await readFile(file, 'utf8')) as StoredJar;
  const kept = (jar.cookies ?? []).filter(({ domain }) => !match.mentions(domain ?? ''));
  if (kept.length === jar.cookies?.length) return;
  await writeDurably(file, JSON.stringify({ ...jar, cookies: kept }), { mode: 0o600 });
}

/**
 * The manifest without seeds and robots.txt of the host, and without what the crawl waited for last where that was the
 * host. The job as it was written keeps its other words.
 */
export function cleanManifest(manifest: Manifest, match: HostMatch): Manifest {
  const { robots, seeds, job, session, ...rest } = manifest;
  const { stall, ...about } = session;
  const isStallKept = stall !== undefined && !match.mentions(JSON.stringify(stall));
  const left = seeds.filter((seed) => !match.url(seed));
  return {
    ...rest,
    session: isStallKept ? { ...about, stall } : about,
    // Without any seed the job could not be read any more: such a crawl is better deleted as a whole.
    seeds: left.length > 0 ? left : seeds,
    job: left.length > 0 ? withoutSeeds(job, match) : job,
    ...(robots ? { robots: robots.filter(({ origin }) => !match.url(origin)) } : {}),
  };
}

function withoutSeeds(job: unknown, match: HostMatch): unknown {
  const { seeds } = job as { seeds?: unknown };
  if (!Array.isArray(seeds)) return job;
  const left = seeds.filter(
    (seed) => !match.mentions(typeof seed === 'string' ? seed : JSON.stringify(seed)),
  );
  return left.length === 0 ? job : { ...(job as object), seeds: left };
}

/** Exports whose bytes do not show what is in them, where `export` or a person put them into the folder. */
const packed = /\.(?:wacz|zip|parquet|duckdb|gz|zst|bz2|xz)$/;
/** What each crawl has in its folder besides files, and what is erased there in its own way. */
const ownFolders = /^(?:archive|segments|crawls|files|markdown|mirror|outgoing)$/;
/** Files of one folder of exports. */
const mostExported = 10_000;

/** What is left in the folder of a crawl when everything was erased: each with what to do about it. */
export async function leftInFolder(folder: string, match: HostMatch, sinceMs: number): Promise<string[]> {
  const naming = (await stillNaming(folder, match)).map(
    (name) => `${name} names the host: edit or delete it`,
  );
  const exported = (await exportedBefore(folder, sinceMs)).map(
    (name) => `${name} was exported before the host was deleted: delete it, or export it again`,
  );
  return [...naming, ...exported];
}

/** Exports in the folder that are older than the deletion and cannot be searched. */
async function exportedBefore(folder: string, sinceMs: number): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isFolder = entry.isDirectory() && !ownFolders.test(entry.name);
    const names = isFolder
      ? (await readdir(join(folder, entry.name), { recursive: true })).slice(0, mostExported)
      : [''];
    for (const name of names) {
      const path = join(folder, entry.name, name);
      if (!packed.test(path) || archives.test(path)) continue;
      const { mtimeMs } = await stat(path);
      if (mtimeMs >= sinceMs) continue;
      found.push(isFolder ? `${entry.name}/` : entry.name);
      break;
    }
  }
  return found;
}

const archives = /\.(?:warc\.gz|tar(?:\.\w+)?|db|db-wal|db-shm|sqlite)$/;
const most = 64 * 1024 * 1024;

/**
 * Files outside the archive and the databases that still name the host, looked at last of all: nothing may be left
 * without being said so. What other hosts have served may name it, and is not searched.
 */
export async function stillNaming(folder: string, match: HostMatch): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || archives.test(entry.name)) continue;
    if (await names(join(folder, entry.name), match)) found.push(entry.name);
  }
  return found;
}

async function names(file: string, match: HostMatch): Promise<boolean> {
  if (match.mentions(basename(file))) return true;
  let tail = '';
  let read = 0;
  for await (const chunk of createReadStream(file, 'latin1') as AsyncIterable<string>) {
    const text = tail + chunk;
    if (match.mentions(text)) return true;
    tail = text.slice(-300);
    read += chunk.length;
    if (read > most) return false;
  }
  return false;
}
