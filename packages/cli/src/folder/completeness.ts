import { WebfarerError } from '@webfarer/protocol';
import { isReadable, openArchive } from '@webfarer/worker/archive';
import { absentCount } from './absent-results.ts';
import type { CliContext } from '../context/context.ts';
import type { FolderReader } from '../crawl/local-port.ts';
import { count } from '../terminal/format.ts';

/** What was written, out of all there is. */
export interface Written {
  what: 'results' | 'items';
  count: number;
}

/**
 * Fails a command after it has written an incomplete output, so that no script takes the output for everything. The
 * error names what other processes wrote to folders that this one cannot reach.
 */
export async function requireWhole(reader: FolderReader, written?: Written): Promise<void> {
  const absent = (await reader.kept())?.absent ?? [];
  const all = written && !reader.busy ? await expected(reader, written.what) : 0;
  if (absent.length === 0 && (written === undefined || written.count >= all)) return;
  const { absentWords, bringSegments } = await import('@webfarer/coordinator/redis');
  const missing = absentWords(absent).join('; ');
  const settled = await expected(reader, 'results');
  const part =
    written && all > 0
      ? `Only ${count(written.count)} of ${count(all)} ${written.what} were written`
      : `Only ${count(settled - absentCount({ absent }))} of ${count(settled)} results were read`;
  throw new WebfarerError('incomplete', `${part}${missing === '' ? '' : `: ${missing}`}.`, {
    next: missing === '' ? 'Run webfarer doctor on this folder.' : bringSegments,
  });
}

/** The same for a command that has closed what it read. */
export async function requireWholeFolders({ local }: CliContext, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const reader = await local.readFolder(folder);
    try {
      await requireWhole(reader);
    } finally {
      await reader.close();
    }
  }
}

async function expected(reader: FolderReader, what: Written['what']): Promise<number> {
  if (what === 'items') return (await reader.totals()).items;
  const { done, failed, refused } = await reader.balance();
  return done + failed + refused;
}

export interface Captures {
  all: number;
  here: number;
  /** Where the others are, and how many. */
  elsewhere: Map<string, number>;
}

/** Captures of a crawl, and which of them are in this folder. */
export async function countCaptures(folder: string, reader: FolderReader): Promise<Captures> {
  const { member, results, crawl, objects } = reader;
  const archive = openArchive(folder, objects);
  const files = new Map<string, boolean>();
  const isThere = async (file: string): Promise<boolean> => {
    const known = files.get(file) ?? (await archive.find(file)) !== undefined;
    files.set(file, known);
    return known;
  };
  const found: Captures = { all: 0, here: 0, elsewhere: new Map() };
  for await (const { saved = [] } of results.records(crawl)) {
    const at = saved.find(({ saver }) => saver === 'warc');
    if (!at) continue;
    found.all++;
    const isOwn = isReadable(at, member);
    if (isOwn && (await isThere(at.file))) found.here++;
    else {
      const place = isOwn
        ? `${at.file}, which is missing here`
        : `the folder of ${at.member ?? 'another process'}`;
      found.elsewhere.set(place, (found.elsewhere.get(place) ?? 0) + 1);
    }
  }
  return found;
}

/** Fails an archive that lacks captures, and names where they are. */
export function requireCaptures({ all, here, elsewhere }: Captures): void {
  if (elsewhere.size === 0) return;
  const places = [...elsewhere].map(([place, n]) => `${count(n)} in ${place}`).join('; ');
  throw new WebfarerError(
    'incomplete',
    `Only ${count(here)} of ${count(all)} captures are packed: ${places}.`,
    {
      next: 'crawl.json in each folder says whose it is. Have one archive with save: [{ warc: { at: s3://BUCKET } }] or { at: coordinator }, or pack each folder.',
    },
  );
}
