import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** What files are for. */
export type FileUse = 'databases' | 'results' | 'archives' | 'logs' | 'other';

export interface FolderUse {
  path: string;
  /** Of all files, or of as many as were counted. */
  bytes: number;
  files: number;
  /** False: there are more files than are counted. */
  isWhole: boolean;
  byUse: Partial<Record<FileUse, number>>;
  /** On its disk. */
  freeBytes: number;
  totalBytes: number;
}

/** Counting them takes some seconds. */
const mostFiles = 200_000;
/** One after the other, each would wait for whatever else this process does with its disk. */
const atOnce = 64;

const uses: [FileUse, RegExp][] = [
  ['databases', /\.db(-wal|-shm)?$/],
  ['archives', /\.(warc|wacz|cdxj?)(\.gz|\.zst)?$/],
  ['results', /\.(ndjson|jsonl|csv|parquet|segment)(\.gz|\.zst)?$/],
  ['logs', /(events\.jsonl|\.log)$/],
];

/** Counts the files of a folder. What vanishes meanwhile counts nothing. */
export async function readFolderUse(path: string, most = mostFiles): Promise<FolderUse> {
  const byUse: Partial<Record<FileUse, number>> = {};
  let [bytes, files] = [0, 0];
  const folders = [path];

  async function count(folder: string, names: readonly string[]): Promise<void> {
    const taken = await Promise.all(names.map((name) => takenBy(join(folder, name))));
    for (const [n, some] of taken.entries()) {
      if (some === undefined) continue;
      files++;
      bytes += some;
      const use = useOf(names[n] ?? '');
      byUse[use] = (byUse[use] ?? 0) + some;
    }
  }

  for (let folder = folders.pop(); folder !== undefined && files < most; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(folder, entry.name));
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    for (let from = 0; from < names.length && files < most; from += atOnce)
      await count(folder, names.slice(from, Math.min(from + atOnce, from + most - files)));
  }
  const { bavail, bsize, blocks } = await statfs(path);
  return {
    path,
    bytes,
    files,
    isWhole: files < most,
    byUse,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
  };
}

/** On the disk, also of a file with gaps; undefined: it is gone. */
async function takenBy(file: string): Promise<number | undefined> {
  return await lstat(file).then(
    ({ blocks }) => blocks * 512,
    () => undefined,
  );
}

function useOf(name: string): FileUse {
  if (name === 'events.jsonl') return 'logs';
  return uses.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}
