import { readdir } from 'node:fs/promises';
import { diskUse } from '@webfarer/worker/archive/disk-use';
import type { Summary } from '../crawl/crawl-run.ts';
import { itemChangesName } from './item-changes-file.ts';
import { bytes, count, plural } from '../terminal/format.ts';

/** What the folder holds for a person to open: `archive/ 2 files 148 MB`, `results.jsonl 1,310`, … */
export async function describeSaved(
  folder: string,
  { balance, snapshot }: Pick<Summary, 'balance' | 'snapshot'>,
): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const parts: string[] = [];
  for (const { place, files, bytes: total } of await diskUse(folder))
    parts.push(`${place}/ ${plural(files, 'file')} ${bytes(total)}`);
  if (names.includes('results.jsonl'))
    parts.push(`results.jsonl ${count(balance.done + balance.failed + balance.refused)}`);
  if (names.includes('items.jsonl')) parts.push(`items.jsonl ${count(snapshot.items)}`);
  for (const name of [itemChangesName, 'report.html', 'crawl.json'])
    if (names.includes(name)) parts.push(name);
  return parts;
}
