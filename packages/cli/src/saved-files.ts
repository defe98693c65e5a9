import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Summary } from './crawl-run.ts';
import { bytes, count, plural } from './view/format.ts';

/** What the folder holds for a person to open: `archive/ 2 files 148 MB`, `results.jsonl 1,310`, … */
export async function describeSaved(
  folder: string,
  { balance, snapshot }: Pick<Summary, 'balance' | 'snapshot'>,
): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const parts: string[] = [];
  for (const name of ['archive', 'files']) {
    if (!names.includes(name)) continue;
    const { files, bytes: total } = await sizeOf(join(folder, name));
    if (files > 0) parts.push(`${name}/ ${plural(files, 'file')} ${bytes(total)}`);
  }
  if (names.includes('results.jsonl'))
    parts.push(`results.jsonl ${count(balance.done + balance.failed + balance.refused)}`);
  if (names.includes('items.jsonl')) parts.push(`items.jsonl ${count(snapshot.items)}`);
  for (const name of ['report.html', 'crawl.json']) if (names.includes(name)) parts.push(name);
  return parts;
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  let files = 0;
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    files++;
    total += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  }
  return { files, bytes: total };
}
