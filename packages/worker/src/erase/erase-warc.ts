import type { HostMatch } from '@webfarer/protocol/url';
import { readWarc, type WarcRecord } from '../archive/warc/warc-reader.ts';
import { type Replacement, rewriteFile } from './rewrite-file.ts';
import { sameLength, warcFiller } from './warc-fillers.ts';

export interface Erased {
  /** Captures, or lines, that are gone. */
  captures: number;
  /** Bytes that they took up. */
  bytes: number;
}

export interface EraseOptions {
  match: HostMatch;
  nowMs: number;
  /** Only count. */
  dryRun?: boolean;
}

const answers = new Set(['response', 'revisit', 'resource']);

/**
 * Takes the captures of a host out of a WARC file: its answers, the requests that led to them, what was noted of them and
 * what a browser made of them, and revisits of other hosts that refer to its bodies (`keepShared` has copied those).
 * All other records keep their bytes and their places. Notes of other captures lose the URL they were found on where that
 * is of the host.
 */
export async function eraseWarc(
  path: string,
  { match, nowMs, dryRun = false }: EraseOptions,
): Promise<Erased & { changed: boolean }> {
  const gone: { from: number; to: number }[] = [];
  const changed: Replacement[] = [];
  const ids = new Set<string>();
  let captures = 0;
  for await (const record of readWarc(path)) {
    const isGone = isOf(record, match) || ids.has(record.field('warc-concurrent-to') ?? '');
    if (isGone) {
      ids.add(record.field('warc-record-id') ?? '');
      if (answers.has(record.type)) captures++;
    }
    const block = !isGone && record.type === 'metadata' ? await blockOf(record) : undefined;
    const to = record.offset + (await record.finish());
    if (isGone) extend(gone, { from: record.offset, to });
    else if (block) {
      const kept = withoutVia(block, match);
      if (kept === undefined) continue;
      const place = { from: record.offset, to };
      changed.push(sameLength({ fields: record.fields, block: kept, ...place }) ?? warcFiller(place, nowMs));
    }
  }
  const bytes = gone.reduce((sum, { from, to }) => sum + to - from, 0);
  const isChanged = gone.length + changed.length > 0;
  if (isChanged && !dryRun) {
    const fillers = gone.map((stretch) => warcFiller(stretch, nowMs));
    await rewriteFile(
      path,
      [...fillers, ...changed].toSorted((a, b) => a.from - b.from),
    );
  }
  return { captures, bytes, changed: isChanged };
}

/** Whether a record is of the host, or stands for a body of it. */
function isOf(record: WarcRecord, match: HostMatch): boolean {
  const target = record.field('warc-target-uri');
  if (target !== undefined && match.url(target)) return true;
  const refersTo = record.field('warc-refers-to-target-uri');
  return refersTo !== undefined && match.url(refersTo);
}

export async function blockOf(record: WarcRecord): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of record.block()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Undefined where nothing has to change. */
function withoutVia(block: Buffer, match: HostMatch): Buffer | undefined {
  const lines = block.toString('utf8').split('\r\n');
  const kept = lines.filter((line) => !(line.startsWith('via: ') && match.url(line.slice(5))));
  return kept.length === lines.length ? undefined : Buffer.from(kept.join('\r\n'));
}

/** Stretches that touch become one. */
function extend(stretches: { from: number; to: number }[], next: { from: number; to: number }): void {
  const last = stretches.at(-1);
  if (last?.to === next.from) last.to = next.to;
  else stretches.push(next);
}
