import { gzipSync } from 'node:zlib';
import type { PageRecord } from '@webfarer/protocol';
import { type ArchivedAnswer, resolved, sha1 } from './archives.ts';
import { labMaxBody, type MadePage, type MadeSite } from './site.ts';
import type { Stored } from './stores.ts';

export type SaverName = 'warc' | 'files' | 'tar' | 'markdown' | 'own' | 'redis';

/** One crawl of a chain, with what others find in its folder. */
export interface JudgedCrawl {
  savers: readonly SaverName[];
  archived: readonly ArchivedAnswer[];
  stored: Partial<Record<SaverName, Stored>>;
  records: ReadonlyMap<string, PageRecord>;
}

/** Lines, each with the URL and what is wrong. */
export interface KeptFindings {
  /** Answered, and neither stored nor with a reason. */
  lost: string[];
  /** Stored, and stands for other bytes than were sent. */
  wrong: string[];
  /** Revisits that refer to nothing. */
  dangling: string[];
  /** Stored although the page or the kind of request says that it is not to be. */
  againstWish: string[];
  /** Not stored, and the record does not say why. */
  unexplained: string[];
  /** Answers that were looked for. */
  looked: number;
}

export const noFindings = (): KeptFindings => ({
  lost: [],
  wrong: [],
  dangling: [],
  againstWish: [],
  unexplained: [],
  looked: 0,
});

/** Outcomes that say themselves that there is no body to keep. */
const telling = new Set(['type', 'bad-encoding']);
/** Only WARC keeps what is no page: redirects and errors. */
const isPage = (status: number): boolean => status === 200 || status === 304;

/** The n-th crawl of a chain, counted from 1, by what the site sent. `crawls` are the ones before it and itself. */
export function judgeCrawl(site: MadeSite, crawls: readonly JudgedCrawl[], found: KeptFindings): void {
  const n = crawls.length;
  const [crawl] = crawls.slice(-1);
  if (!crawl) return;
  const all = crawls.flatMap(({ archived }) => archived);
  for (const answer of crawl.archived)
    if (!resolved(answer, all)) found.dangling.push(`crawl ${n}: ${answer.url} refers to ${answer.refersTo}`);
  for (const page of site.pages.values()) judgePage(site, page, crawls, found);
  for (const { url } of crawl.archived)
    if (!url.startsWith(site.origin)) found.againstWish.push(`crawl ${n}: ${url} was only checked`);
}

function judgePage(
  site: MadeSite,
  page: MadePage,
  crawls: readonly JudgedCrawl[],
  found: KeptFindings,
): void {
  const n = crawls.length;
  const crawl = crawls.at(-1) as JudgedCrawl;
  const url = `${site.origin}${page.path}`;
  const answers = site.answered.filter(
    ({ path, crawl: when, method }) => path === page.path && when === n && method === 'GET',
  );
  const last = answers.at(-1);
  if (!last) return;
  const record = crawl.records.get(url);
  const name = `crawl ${n} (${crawl.savers.join(', ') || 'none'}): ${page.path} ${last.status}`;
  if (!record) return void found.lost.push(`${name}: no record`);
  const plain = Buffer.from(page.body(n) ?? '');
  const sent = last.status === 304 ? (page.gzip ? gzipSync(plain) : plain) : last.body;
  const decoded = page.gzip ? plain : sent.subarray(0, labMaxBody);
  let isStored = false;
  for (const saver of crawl.savers) {
    found.looked += 1;
    const state = stateIn(saver, { url, page, sent: sent.subarray(0, labMaxBody), decoded, crawls });
    if (state !== 'absent') isStored = true;
    const wanted = isWanted(saver, page, last.status) && !telling.has(record.reason);
    if (page.noarchive && state !== 'absent') found.againstWish.push(`${name}: in ${saver}`);
    else if (wanted && state === 'absent') found.lost.push(`${name}: not in ${saver}`);
    else if (state === 'other') found.wrong.push(`${name}: ${saver} has something else`);
  }
  if (isStored || crawl.savers.length === 0) return;
  if (!explains(record, page)) found.unexplained.push(`${name}: ${record.verdict}(${record.reason})`);
}

function isWanted(saver: SaverName, page: MadePage, status: number): boolean {
  if (page.noarchive) return false;
  if (saver === 'warc') return true;
  return isPage(status) && (saver !== 'markdown' || page.isText === true);
}

/** Whether a person who reads the record learns why there is no body. */
function explains({ verdict, reason, notSaved, mime = '' }: PageRecord, { isText }: MadePage): boolean {
  if (verdict !== 'done' || reason !== 'ok') return true;
  return notSaved !== undefined || (isText !== true && mime !== '');
}

interface Looked {
  url: string;
  page: MadePage;
  sent: Buffer;
  decoded: Buffer;
  crawls: readonly JudgedCrawl[];
}

/** What is not kept again, because it is unchanged, is where an earlier crawl of the chain has it. */
function stateIn(
  saver: SaverName,
  { url, page, sent, decoded, crawls }: Looked,
): 'there' | 'other' | 'absent' {
  if (saver === 'warc') {
    const own = crawls.at(-1)?.archived.filter((answer) => answer.url === url) ?? [];
    const all = crawls.flatMap(({ archived }) => archived);
    if (own.length === 0) return 'absent';
    return resolved(own.at(-1) as ArchivedAnswer, all)?.sha1 === sha1(sent) ? 'there' : 'other';
  }
  // One server holds what all of them saved; folders stay as they were.
  const those = saver === 'redis' ? crawls.slice(-1) : crawls;
  const stores = those.flatMap(({ stored }) => stored[saver] ?? []);
  if (saver === 'markdown') {
    const text = stores.map(({ texts }) => texts.get(url)).findLast((one) => one !== undefined);
    if (text === undefined) return 'absent';
    return marks(page, crawls.length).every((mark) => text.includes(mark)) ? 'there' : 'other';
  }
  return stores.some(({ bodies }) => bodies.has(sha1(decoded))) ? 'there' : 'absent';
}

/** Sentences of a page that its text must have. */
function marks(page: MadePage, crawl: number): string[] {
  return /The text of [^.<]*/.exec(String(page.body(crawl) ?? ''))?.slice(0, 1) ?? [];
}
