import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Every file below a folder, some of which may be deleted meanwhile. */
function filesIn(folder: string): string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const at = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(at) : entry.isFile() ? [at] : [];
  });
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Not locks, which are never read. */
const isDatabase = (file: string) => file.endsWith('.db') && !/lock(-\d+)?\.db$/.test(file);
const isKeptBySqlite = (file: string) => /\.db(-wal|-shm|-journal)?$/.test(file);

/** Rows of any table of any database below a folder that have one of these words in any column. */
export function leftRows(folder: string, words: readonly string[]): string[] {
  const found: string[] = [];
  for (const file of filesIn(folder).filter(isDatabase)) {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as {
        name: string;
      }[];
      for (const { name } of tables)
        for (const row of db.prepare(`SELECT * FROM "${name}"`).all())
          if (Object.values(row).some((value) => hasWord(value, words)))
            found.push(`${file} ${name} ${JSON.stringify(row).slice(0, 200)}`);
    } finally {
      db.close();
    }
  }
  return found;
}

function hasWord(value: unknown, words: readonly string[]): boolean {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
  return words.some((word) => text.includes(word));
}

/**
 * Files below a folder with one of these words in their names or contents. Databases are looked into row by row, and the
 * log of what happened tells of crawls that are gone.
 */
export function leftFiles(folder: string, words: readonly string[]): string[] {
  return filesIn(folder).filter((file) => {
    if (words.some((word) => file.slice(folder.length).includes(word))) return true;
    if (isKeptBySqlite(file) || /events(\.\d+)?\.jsonl$/.test(file)) return false;
    const content = unlessGone(() => readFileSync(file));
    return content !== undefined && hasWord(content, words);
  });
}

/** Bytes on disk below a folder. */
export function bytesIn(folder: string): number {
  return filesIn(folder).reduce(
    (sum, file) => sum + (unlessGone(() => statSync(file))?.blocks ?? 0) * 512,
    0,
  );
}
