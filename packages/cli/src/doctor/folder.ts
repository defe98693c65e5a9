import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sqlite } from '@webfarer/coordinator';
import type { PageRecord, Verdict } from '@webfarer/protocol';
import { addsUp, allSaved } from '@webfarer/protocol/crawl';
import { openArchive, ownCaptures } from '@webfarer/worker/archive';
import type { FolderReader, LocalCrawls } from '../crawl/local-port.ts';
import { absentCount, absentLines } from '../folder/absent-results.ts';
import { bytes, longSpan, plural } from '../terminal/format.ts';
import { balanceText } from '../view/summary.ts';
import { type Check, looked } from './check.ts';
import { diskCheck } from './machine.ts';

/** Clocks of two machines may differ a little. */
const aheadMs = 60_000;

type Finding = Omit<Check, 'name'>;

const lost =
  'archive/ and results.jsonl can still be read. Restore the folder from a backup, or start over with --fresh.';

const storeLost =
  'Start the store, or make sure that this machine can reach it. archive/ and results.jsonl can be read without it.';

/** Where the crawl is kept if not in the folder; undefined for most. */
async function storeOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'crawl.json'), 'utf8').catch(() => '{}');
  try {
    return (JSON.parse(text) as { store?: { url: string } }).store?.url;
  } catch {
    return undefined;
  }
}

/** Checks whether a crawl folder is intact and the crawl can be resumed. Changes nothing. */
export async function checkFolder(
  folder: string,
  { local, nowMs }: { local: Pick<LocalCrawls, 'readFolder'>; nowMs: number },
): Promise<Check[]> {
  const store = await storeOf(folder);
  const database: Check = store
    ? { name: 'store', ok: true, text: `${store} answers` }
    : await looked('crawl.db', () => databaseCheck(folder), lost);
  if (!database.ok) return [database];
  let reader: FolderReader;
  try {
    reader = await local.readFolder(folder);
  } catch (error) {
    const text = (error as Error).message;
    if (store) return [{ name: 'store', ok: false, text, next: storeLost }];
    return [database, { name: 'crawl.json', ok: false, text, next: lost }];
  }
  try {
    const sums = await sumsOf(reader);
    return [
      database,
      await looked('lock', () => lockCheck(reader)),
      await looked('clock', () => lastActiveCheck(folder, nowMs)),
      await looked('disk', () => diskCheck(folder, reader.job.limits.minFreeBytes)),
      ...(store ? [await looked('results', () => resultsCheck(reader))] : []),
      await looked('balance', () => balanceCheck(reader, sums)),
      await looked('archive', () => archiveCheck(folder, reader, sums)),
    ];
  } finally {
    await reader.close();
  }
}

async function databaseCheck(folder: string): Promise<Finding> {
  const path = join(folder, 'crawl.db');
  const { size } = await stat(path);
  const db = new (sqlite().DatabaseSync)(path, { readOnly: true, timeout: 10_000 });
  try {
    const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    const said = first?.quick_check ?? 'no answer';
    if (said === 'ok') return { ok: true, text: `${bytes(size)}, intact` };
    return { ok: false, text: said, next: lost };
  } finally {
    db.close();
  }
}

async function lockCheck(reader: FolderReader): Promise<Finding> {
  if (reader.busy) return { ok: true, text: 'held: a crawl is running here' };
  const cutOff = (await reader.state()) === 'running';
  if (!cutOff) return { ok: true, text: 'free' };
  return {
    ok: true,
    text: 'free; the last run was interrupted. Nothing is lost: run the same command to resume',
  };
}

/** A folder from the future means that a clock is or was wrong; hosts would then be left waiting. */
async function lastActiveCheck(folder: string, nowMs: number): Promise<Finding> {
  const { session } = JSON.parse(await readFile(join(folder, 'crawl.json'), 'utf8')) as {
    session: { updatedAtMs: number };
  };
  const agoMs = nowMs - session.updatedAtMs;
  if (agoMs > -aheadMs) return { ok: true, text: `last active ${longSpan(Math.max(0, agoMs))} ago` };
  const text = `last active ${longSpan(-agoMs)} in the future`;
  return {
    ok: false,
    text,
    next: 'Set the clock of this machine.',
  };
}

/** What one pass over all records tells. */
interface Sums {
  byVerdict: Record<Verdict, number>;
  /** For each file of the archive, the byte up to which records were committed. */
  ends: Map<string, number>;
}

async function sumsOf({ results, crawl, member }: FolderReader): Promise<Sums> {
  const sums: Sums = { byVerdict: { done: 0, failed: 0, refused: 0 }, ends: new Map() };
  for await (const record of ownCaptures(results.records(crawl), member)) add(sums, record);
  return sums;
}

function add({ byVerdict, ends }: Sums, record: PageRecord): void {
  byVerdict[record.verdict]++;
  for (const { file, offset, length } of allSaved(record)) {
    if (offset === undefined || length === undefined) continue;
    ends.set(file, Math.max(ends.get(file) ?? 0, offset + length));
  }
}

async function balanceCheck(reader: FolderReader, { byVerdict }: Sums): Promise<Finding> {
  const balance = await reader.balance();
  const text = balanceText(balance);
  const report = 'Please report this with crawl.json; the records themselves are in results.jsonl.';
  if (!addsUp(balance)) return { ok: false, text: `${text}: does not add up`, next: report };
  const wrong = (['done', 'failed', 'refused'] as const).filter((name) => balance[name] !== byVerdict[name]);
  // A running crawl progresses between the two reads; results that are not available cannot be counted.
  if (wrong.length === 0 || reader.busy || absentCount(await reader.kept()) > 0) return { ok: true, text };
  const counted = wrong
    .map((name) => `${plural(byVerdict[name], 'record is', 'records are')} ${name}`)
    .join(', ');
  return { ok: false, text: `${text}, but ${counted}`, next: report };
}

/** Whether all that left the store for files can be read from here. */
async function resultsCheck(reader: FolderReader): Promise<Finding> {
  const [first, ...more] = await absentLines(reader);
  if (first !== undefined)
    return { ok: false, text: [first.slice(2), ...more.slice(0, -1)].join('; '), next: more.at(-1) ?? '' };
  const { segments = 0, records = 0 } = (await reader.kept()) ?? {};
  if (segments === 0) return { ok: true, text: 'all in the store' };
  return { ok: true, text: `${plural(records, 'result')} in ${plural(segments, 'file')}, all present` };
}

async function archiveCheck(folder: string, reader: FolderReader, { ends }: Sums): Promise<Finding> {
  const archive = openArchive(folder, reader.objects);
  for (const [file, end] of ends) {
    const size = (await archive.find(file))?.bytes;
    if (size !== undefined && size >= end) continue;
    const text =
      size === undefined
        ? `${file} is missing`
        : `${file} ends at ${bytes(size)}, records reach to ${bytes(end)}`;
    return {
      ok: false,
      text,
      next: 'Restore the file from a backup, or fetch its pages again:  webfarer retry --verdict done',
    };
  }
  const newest = (await archive.files()).findLast(({ kind }) => kind === 'warc');
  if (newest === undefined) return { ok: true, text: 'no WARC files' };
  if (reader.busy) return { ok: true, text: 'being written' };
  const { ok, records, problems } = await archive.validate(newest);
  const name = typeof newest.open === 'string' ? relative(folder, newest.path) : newest.path;
  if (ok) return { ok, text: `${name}: ${plural(records, 'record')}, intact` };
  const [first] = problems;
  const text = `${name}, byte ${first?.offset ?? 0}: ${first?.text ?? 'damaged'}`;
  // A crawl truncates the torn end of its own open file when it resumes.
  if (first?.torn && newest.isOpen) {
    return {
      ok: true,
      text: `${text}. Only data that no record refers to; it is truncated when the crawl resumes`,
    };
  }
  return { ok, text, next: `webfarer warc repair ${name}` };
}
