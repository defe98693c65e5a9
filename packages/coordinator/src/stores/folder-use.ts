import { lstat, opendir, statfs } from 'node:fs/promises';
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
  for (let folder = folders.pop(); folder !== undefined && files < most; folder = folders.pop()) {
    const entries = await opendir(folder).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      const at = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else if (entry.isFile()) {
        // Of a file with gaps, what it takes on the disk.
        const taken = await lstat(at).then(
          ({ blocks }) => blocks * 512,
          () => undefined,
        );
        if (taken === undefined) continue;
        files++;
        bytes += taken;
        const use = useOf(entry.name);
        byUse[use] = (byUse[use] ?? 0) + taken;
      }
      if (files >= most) break;
    }
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

function useOf(name: string): FileUse {
  if (name === 'events.jsonl') return 'logs';
  return uses.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}
