import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { writeDurably } from '@webfarer/protocol/node';
import { type CookieJar, createCookieJar } from '../fetch/cookies.ts';
import { type FileCookie, parseCookiesTxt } from '../fetch/cookies-txt.ts';

/** Beside the archive, never in it: it may hold somebody's login. */
export const cookiesName = 'cookies.json';

export interface KeptCookies {
  jar: CookieJar;
  /** Writes the jar if it has changed, readable by nobody else. */
  save(): Promise<void>;
}

export interface CookieOptions {
  folder: string;
  /** A cookies.txt to begin with. */
  source?: string;
  nowMs: number;
  /** Another process writes the file. */
  readOnly?: boolean;
}

/**
 * The jar of a crawl. What the crawl kept of its own is newer than the file it began with, unless somebody has
 * written that file since.
 */
export async function openCookies({
  folder,
  source,
  nowMs,
  readOnly = false,
}: CookieOptions): Promise<KeptCookies> {
  const file = join(folder, cookiesName);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  const jar = openJar(kept);
  let written = jar.version;
  if (source !== undefined && (kept === undefined || (await isNewer(source, file)))) {
    jar.load(await readCookieFile(source, nowMs));
  }
  return {
    jar,
    async save() {
      const { version } = jar;
      if (readOnly || version === written) return;
      await writeDurably(file, jar.save(), { mode: 0o600 });
      written = version;
    },
  };
}

/** A jar that cannot be read is worth no crawl: it fills again. */
function openJar(kept: string | undefined): CookieJar {
  try {
    return createCookieJar(kept);
  } catch {
    return createCookieJar();
  }
}

async function isNewer(source: string, file: string): Promise<boolean> {
  const [a, b] = await Promise.all([source, file].map((path) => stat(path).catch(() => undefined)));
  return a !== undefined && b !== undefined && a.mtimeMs > b.mtimeMs;
}

/** The cookies of a cookies.txt; throws where it is none, best before anything is written. */
export async function readCookieFile(source: string, nowMs: number): Promise<FileCookie[]> {
  const text = await readFile(source, 'utf8').catch((error: unknown) => {
    throw new WebfarerError('job-invalid', `cannot read the cookies ${source}: ${(error as Error).message}`);
  });
  const parsed = parseCookiesTxt(text, nowMs);
  if (parsed.ok) return parsed.cookies;
  throw new WebfarerError('job-invalid', `${source} line ${parsed.line} is not in cookies.txt format`, {
    next: 'Export it in the Netscape format: seven fields between tabs.',
  });
}
