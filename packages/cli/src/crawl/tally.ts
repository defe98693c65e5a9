import { createBrokenJudge } from '@webfarer/graph/broken-judge';
import type { PageRecord } from '@webfarer/protocol';

/** What only a pass over all records can tell. Made once, at the end. */
export interface Tally {
  records: number;
  /** Pages that answered, whatever the status; robots.txt and sitemaps are none. */
  pagesRead: number;
  /** All settled records by HTTP status, failed ones too. */
  byStatus: Record<string, number>;
  /** As the report counts them. */
  broken: number;
  /** What robots.txt line refused how many, most first. */
  robotsRules: { rule: string; count: number }[];
  looksEmpty: number;
  truncated: number;
  /** Most tries that a URL was given before it failed with 5xx. */
  triesFor5xx: number;
  /** What was seen at the first URL that was not done. */
  firstDetail?: string;
}

/** Distinct rules are counted up to here, so that a huge crawl needs no huge memory. */
const most = 100_000;

export async function tally(records: AsyncIterable<PageRecord>): Promise<Tally> {
  const counts = createTally();
  for await (const record of records) counts.add(record);
  return counts.result();
}

export function createTally(): { add(record: PageRecord): void; result(): Tally } {
  const byStatus: Record<string, number> = {};
  const rules = new Map<string, number>();
  const sums = { records: 0, pagesRead: 0, broken: 0, looksEmpty: 0, truncated: 0, triesFor5xx: 0 };
  let firstDetail: string | undefined;
  const broken = createBrokenJudge();
  return {
    add(record) {
      sums.records++;
      if (record.status !== undefined) byStatus[record.status] = (byStatus[record.status] ?? 0) + 1;
      if (record.verdict === 'done' && record.kind !== 'sitemap') sums.pagesRead++;
      if (record.verdict !== 'done') firstDetail ??= record.detail;
      if (record.looksEmpty) sums.looksEmpty++;
      if (record.truncated) sums.truncated++;
      if (record.reason === 'http-5xx') sums.triesFor5xx = Math.max(sums.triesFor5xx, record.attempts);
      if (broken.isBroken(record)) sums.broken++;
      if (record.reason === 'robots') {
        const rule = record.detail ?? 'robots.txt';
        if (rules.size < most || rules.has(rule)) rules.set(rule, (rules.get(rule) ?? 0) + 1);
      }
    },
    result: () => ({
      ...sums,
      broken: (sums.broken += broken.late().length),
      byStatus,
      ...(firstDetail === undefined ? {} : { firstDetail }),
      robotsRules: [...rules].map(([rule, count]) => ({ rule, count })).toSorted((a, b) => b.count - a.count),
    }),
  };
}
