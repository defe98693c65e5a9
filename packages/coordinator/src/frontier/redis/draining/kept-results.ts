import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { Context } from '../context/context.ts';
import type { AbsentSegments } from '../../../results/results.ts';
import { countAbsent, findSegment, readHomes, segmentsIn } from './segments.ts';

/** All that the store lists of a crawl's segments. */
export interface KeptResults {
  segments: number;
  records: number;
  bytes: number;
  absent: AbsentSegments[];
}

/** What the store lists of a crawl's segments, and which of them are not at hand. */
export async function keptResults(context: Context, id: CrawlId): Promise<KeptResults> {
  const crawl = await context.crawls.get(id);
  await context.crawls.read(crawl);
  const homes = await readHomes(context, crawl);
  const kept: KeptResults = { segments: 0, records: 0, bytes: 0, absent: [] };
  const absent = new Map<string, AbsentSegments>();
  const lists = await Promise.all(crawl.groups.list.map((group) => segmentsIn(context, crawl, { group })));
  for (const segment of lists.flat()) {
    kept.segments++;
    kept.records += segment.records;
    kept.bytes += segment.bytes;
    if (!(await findSegment(context, segment, homes))) countAbsent(absent, segment, homes);
  }
  return { ...kept, absent: [...absent.values()] };
}

/** In words, one line for each who has some. */
export function absentWords(absent: AbsentSegments[]): string[] {
  return absent.map(({ records, segments, folder, machine, owner }) => {
    const place = folder === undefined ? `with ${owner}` : `in ${folder} on ${machine}`;
    const [results, files] = [records, segments].map((count) => count.toLocaleString('en-US'));
    return `${results} results are in ${files} ${segments === 1 ? 'file' : 'files'} ${place}`;
  });
}

export const bringSegments =
  'Copy that folder here and pass it with --segments DIR, or run the command where it is.';

export function notAtHand(absent: AbsentSegments[]): WebfarerError {
  return new WebfarerError('not-found', `not among the results here; ${absentWords(absent).join('; ')}`, {
    next: bringSegments,
  });
}
