import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Job, type PageRecord, type Url, WebfarerError } from '@webfarer/protocol';
import { renameDurably, writeDurably } from '@webfarer/protocol/node';
import { handlePage, type HandlingContext, type Hooks, readsAsPage, storedPage } from '@webfarer/worker';
import type { FolderReader } from '../crawl/local-port.ts';
import { readFolder } from '../local/folder-reader.ts';
import { type Handlers, hooksOf } from './handlers.ts';
import { type LineFile, openLines } from './line-file.ts';
import { contextOutside } from './outside-context.ts';
import { type StoredRecords, storedRecords } from './stored-records.ts';

/** Where a replay writes, and who watches it. */
export interface ReplayOptions {
  /** Where items.jsonl, problems.jsonl and replay.json go. They replace those of an earlier replay. */
  to: string;
  /** Called after each page. */
  onProgress?: (counts: ReplayCounts) => void;
  signal?: AbortSignal;
}

export interface ReplayCounts {
  /** Pages that the handler was run on. */
  pages: number;
  items: number;
  /** Items that `onItem` dropped. */
  droppedItems: number;
  /** URLs that the handler followed, counted for each page. */
  followed: number;
  /** Pages that the handler failed on, or whose items were refused. */
  failed: number;
  /** Pages of the crawl whose body is not in its archive. */
  notStored: number;
}

/** What a replay did; the same is in replay.json. */
export interface ReplaySummary extends ReplayCounts {
  folder: string;
  to: string;
}

/** A page that gave no items, and why: an error comes with the file and line of the handler's own code. */
export interface ReplayProblem {
  url: Url;
  reason: string;
  detail: string;
}

/** Outcomes of pages that a handler was run on, or would have been. */
const outcomes = new Set(['ok', 'not-modified', 'handler', 'handler-timeout', 'item-invalid']);
/** Pages in work at a time: a handler may wait for others, and each page holds its body. */
const atOnce = 4;

/** Runs a handler over the pages that a crawl has stored, without a request. Pages come in the order of their outcomes. */
export async function replay<Item = unknown>(
  handlers: Handlers<Item>,
  folder: string,
  options: ReplayOptions,
): Promise<ReplaySummary> {
  return await replayWith(folder, { hooks: hooksOf<Item>(handlers) }, options);
}

/** User code that is loaded already, or another job with its scraper. */
export interface ReplayedCode {
  hooks: Hooks;
  job?: Job;
  /** Where the scraper is looked for that the job names. */
  baseFolder?: string;
}

/** The same with the rules of another job if one is given. */
export async function replayWith(
  folder: string,
  { hooks, job, baseFolder }: ReplayedCode,
  options: ReplayOptions,
): Promise<ReplaySummary> {
  const path = resolve(folder);
  const to = resolve(options.to);
  const reader = await readFolder(path);
  const stored = storedRecords(path, reader);
  await mkdir(to, { recursive: true });
  const names = ['items.jsonl', 'problems.jsonl'] as const;
  const parts = names.map((name) => join(to, `${name}.new`));
  const files = await Promise.all(parts.map((part) => openLines(part)));
  try {
    const context = await contextOutside(hooks, {
      job: job ?? reader.job,
      seeds: reader.seeds,
      baseFolder,
    });
    const [items, problems] = files as [LineFile, LineFile];
    const counts = await replayAll({ context, reader, stored, items, problems }, options);
    for (const file of files) await file.close();
    for (const [n, name] of names.entries()) await renameDurably(parts[n] as string, join(to, name));
    const summary = { folder: path, to, ...counts };
    await writeDurably(join(to, 'replay.json'), `${JSON.stringify(summary, null, 2)}\n`);
    return summary;
  } catch (error) {
    for (const file of files) await file.close().catch(() => undefined);
    for (const part of parts) await rm(part, { force: true });
    throw error;
  } finally {
    await stored.close();
    await reader.close();
  }
}

interface Replaying {
  context: HandlingContext;
  reader: FolderReader;
  stored: StoredRecords;
  items: LineFile;
  problems: LineFile;
}

async function replayAll(parts: Replaying, { onProgress, signal }: ReplayOptions): Promise<ReplayCounts> {
  const { reader, items, problems, context } = parts;
  const counts = { pages: 0, items: 0, droppedItems: 0, followed: 0, failed: 0, notStored: 0 };
  const inWork: Promise<Replayed>[] = [];

  /** In the order they were begun, whichever is done first. */
  async function takeFirst(): Promise<void> {
    const {
      found,
      droppedItems = 0,
      followed = 0,
      problem,
      missing,
    } = await (inWork.shift() as Promise<Replayed>);
    if (missing) counts.notStored++;
    else counts.pages++;
    if (problem && !missing) counts.failed++;
    counts.items += found?.length ?? 0;
    counts.droppedItems += droppedItems;
    counts.followed += followed;
    for (const item of found ?? []) await items.write(item);
    if (problem) await problems.write(problem);
    onProgress?.(counts);
  }

  for await (const record of reader.results.records(reader.crawl)) {
    if (signal?.aborted) break;
    if (record.kind !== 'page' || !outcomes.has(record.reason)) continue;
    if (!readsAsPage(context, record, record.mime ?? '')) continue;
    const work = replayOne(parts, record);
    // It is awaited in its turn; until then a rejection is no news.
    work.catch(() => undefined);
    inWork.push(work);
    if (inWork.length >= atOnce) await takeFirst();
  }
  while (inWork.length > 0) await takeFirst();
  if (signal?.aborted) throw new WebfarerError('interrupted', 'The replay was stopped; it wrote nothing.');
  return counts;
}

interface Replayed {
  found?: unknown[];
  droppedItems?: number;
  followed?: number;
  problem?: ReplayProblem;
  /** Its body is not in the archive. */
  missing?: boolean;
}

async function replayOne({ context, stored }: Replaying, record: PageRecord): Promise<Replayed> {
  const { url } = record;
  const missing = (detail: string): Replayed => ({
    missing: true,
    problem: { url, reason: 'not-stored', detail },
  });
  const found = stored.of(record);
  if (!found) return missing('the crawl kept no body of this page');
  const { entry } = found;
  const shown = await found
    .read()
    .then((kept) => storedPage(context, { entry, stored: kept }))
    .catch((error: unknown) => {
      if (error instanceof WebfarerError) return error.message;
      throw error;
    });
  if (typeof shown === 'string') return missing(shown);
  try {
    const { gather, scraped } = await handlePage(context, { entry, page: shown.page }, new AbortController());
    if (!scraped.ok) return { problem: { url, reason: scraped.reason, detail: scraped.detail } };
    const droppedItems = [...gather.droppedItems.values()].reduce((sum, n) => sum + n, 0);
    return { found: scraped.items, droppedItems, followed: gather.offers.length };
  } finally {
    shown.free();
  }
}
