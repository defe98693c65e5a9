import type { PageRecord, Url } from '@webfarer/protocol';
import { isContent } from '../../folder/previous-crawl.ts';
import { type Database, sqlite } from '../../sqlite/node-sqlite.ts';
import {
  type Compared,
  type ComparedKind,
  comparedKinds,
  type ComparisonFacts,
  judge,
} from './judge-pages.ts';

/** What both crawls say of their pages, side by side. Kept in a temporary file, which goes when it is closed. */
export interface ComparisonTable {
  add(side: 'now' | 'before', records: readonly PageRecord[]): void;
  /** Judges so many more pages, in the order of their URLs; false: all are judged. */
  judgeMore(limit: number, facts: ComparisonFacts): boolean;
  sums(): ComparisonSums;
  /** Pages of one kind behind this URL, in the order of their URLs. */
  list(kind: ComparedKind, after: string, limit: number): ComparedPage[];
  close(): void;
}

/** `new`, `changed`, `unchanged` and what is unclear of them are the pages that are there now; likewise for before. */
export interface ComparisonSums {
  counts: Record<ComparedKind, number>;
  pages: { now: number; before: number };
  /** Which crawl has the pages of which it is unclear what became of them. */
  unclear: { both: number; now: number; before: number };
}

export interface ComparedPage {
  url: Url;
  status?: number;
  statusBefore?: number;
  title?: string;
  /** In words, for what is gone or unclear. */
  why?: string;
}

interface Row {
  url: Url;
  now_what: number | null;
  now_digest: string | null;
  now_change: string | null;
  now_why: string | null;
  now_status: number | null;
  now_verdict: string | null;
  before_what: number | null;
  before_digest: string | null;
}

/** A page, something else that was answered, or nothing that was answered. */
const what = { page: 1, nothing: 2, other: 3 } as const;
const mostTitle = 200;

export function openComparisonTable(): ComparisonTable {
  const db: Database = new (sqlite().DatabaseSync)('');
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
    CREATE TABLE pages (url TEXT PRIMARY KEY,
      now_what INTEGER, now_digest TEXT, now_status INTEGER, now_title TEXT, now_change TEXT, now_verdict TEXT, now_why TEXT,
      before_what INTEGER, before_digest TEXT, before_status INTEGER, before_title TEXT) WITHOUT ROWID;
    CREATE TABLE judged (kind INTEGER NOT NULL, url TEXT NOT NULL, why TEXT, PRIMARY KEY (kind, url)) WITHOUT ROWID`);
  const putNow = db.prepare(`INSERT INTO pages
    (url, now_what, now_digest, now_status, now_title, now_change, now_verdict, now_why) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (url) DO UPDATE SET now_what = excluded.now_what, now_digest = excluded.now_digest,
      now_status = excluded.now_status, now_title = excluded.now_title, now_change = excluded.now_change,
      now_verdict = excluded.now_verdict, now_why = excluded.now_why`);
  const putBefore = db.prepare(`INSERT INTO pages
    (url, before_what, before_digest, before_status, before_title) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (url) DO UPDATE SET before_what = excluded.before_what, before_digest = excluded.before_digest,
      before_status = excluded.before_status, before_title = excluded.before_title`);
  const more = db.prepare('SELECT * FROM pages WHERE url > ? ORDER BY url LIMIT ?');
  const putJudged = db.prepare('INSERT INTO judged VALUES (?, ?, ?)');
  const listed =
    db.prepare(`SELECT judged.url, why, now_status, before_status, coalesce(now_title, before_title) AS title
    FROM judged JOIN pages ON pages.url = judged.url WHERE kind = ? AND judged.url > ? ORDER BY judged.url LIMIT ?`);
  const sums: ComparisonSums = {
    counts: { new: 0, changed: 0, gone: 0, unclear: 0, unchanged: 0 },
    pages: { now: 0, before: 0 },
    unclear: { both: 0, now: 0, before: 0 },
  };
  let judgedUntil = '';

  /** As one transaction: a thousand by themselves take ten times as long. */
  function together(write: () => void): void {
    db.exec('BEGIN');
    write();
    db.exec('COMMIT');
  }

  function putJudgement(row: Row, facts: ComparisonFacts): void {
    const judgement = judge(comparedIn(row), facts);
    if (!judgement) return;
    const { kind, why, inNow, inBefore } = judgement;
    sums.counts[kind]++;
    if (inNow) sums.pages.now++;
    if (inBefore) sums.pages.before++;
    if (kind === 'unclear') sums.unclear[inNow && inBefore ? 'both' : inNow ? 'now' : 'before']++;
    putJudged.run(comparedKinds.indexOf(kind), row.url, why ?? null);
  }

  return {
    add(side, records) {
      together(() => {
        for (const record of records) {
          const { url, digest = null, status = null, title, change = null, verdict } = record;
          const kept = title?.slice(0, mostTitle) ?? null;
          const is = whatIs(record);
          if (side === 'now') putNow.run(url, is, digest, status, kept, change, verdict, whyNot(record));
          else putBefore.run(url, is, digest, status, kept);
        }
      });
    },
    judgeMore(limit, facts) {
      const rows = more.all(judgedUntil, limit) as unknown as Row[];
      together(() => {
        for (const row of rows) putJudgement(row, facts);
      });
      judgedUntil = rows.at(-1)?.url ?? judgedUntil;
      return rows.length === limit;
    },
    sums: () => structuredClone(sums),
    list(kind, after, limit) {
      const rows = listed.all(comparedKinds.indexOf(kind), after, limit) as unknown as {
        url: Url;
        why: string | null;
        now_status: number | null;
        before_status: number | null;
        title: string | null;
      }[];
      return rows.map(({ url, why, now_status, before_status, title }) => ({
        url,
        ...(now_status === null ? {} : { status: now_status }),
        ...(before_status === null ? {} : { statusBefore: before_status }),
        ...(title === null ? {} : { title }),
        ...(why === null ? {} : { why }),
      }));
    },
    close: () => db.close(),
  };
}

function whatIs(record: PageRecord): number {
  if (!isContent(record)) return what.nothing;
  return record.kind === 'page' || record.kind === 'requisite' ? what.page : what.other;
}

/** Why a URL is no page now, in words. */
function whyNot({ verdict, reason, redirectTo, status }: PageRecord): string | null {
  if (verdict !== 'done') return `${verdict}: ${reason}`;
  return redirectTo === undefined ? `answered ${status ?? reason}` : `redirects to ${redirectTo}`;
}

function comparedIn(row: Row): Compared {
  const [now, before] = [row.now_what, row.before_what];
  return {
    now:
      now === null
        ? undefined
        : {
            isPage: now === what.page,
            isContent: now !== what.nothing,
            isSettled: row.now_verdict === 'done',
            digest: row.now_digest ?? undefined,
            change: row.now_change ?? undefined,
            why: row.now_why ?? '',
          },
    before:
      before === null || before === what.nothing
        ? undefined
        : { isPage: before === what.page, digest: row.before_digest ?? undefined },
  };
}
