import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** How often words stand in a file, as it is and decompressed. */
export interface FoundIn {
  file: string;
  count: number;
}

/** Searches every file of a folder for these words, whatever its case, also in what is compressed in it. */
export function searchBytes(folder: string, words: readonly string[]): FoundIn[] {
  const found: FoundIn[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    let count = countIn(file, words);
    if (entry.isFile()) for (const text of textsOf(path)) count += countIn(text, words);
    if (count > 0) found.push({ file, count });
  }
  return found;
}

function* textsOf(path: string): Generator<string> {
  const bytes = readFileSync(path);
  yield bytes.toString('latin1');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) yield gunzipSync(bytes).toString('latin1');
  if (bytes.toString('latin1', 0, 15) === 'SQLite format 3') yield* blobsOf(path);
}

/** Compressed values of a database: links of pages are kept so. */
function* blobsOf(path: string): Generator<string> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
      name: string;
    }[];
    for (const { name } of tables) {
      for (const row of db.prepare(`SELECT * FROM "${name}"`).all()) {
        for (const value of Object.values(row)) {
          if (!(value instanceof Uint8Array)) continue;
          const isZstd = value.length > 4 && Buffer.from(value).readUInt32LE(0) === 0xfd2fb528;
          if (isZstd) yield zstdDecompressSync(value).toString('latin1');
        }
      }
    }
  } catch (error) {
    // A database that a process was killed in has to be opened for writing first; its bytes were searched as they are.
    if (!/readonly|locked/i.test(String(error))) throw error;
  } finally {
    db.close();
  }
}

function countIn(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  return words.reduce((sum, word) => sum + lower.split(word.toLowerCase()).length - 1, 0);
}
