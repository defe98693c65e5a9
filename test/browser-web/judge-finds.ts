import type { Balance, PageRecord } from '@webfarer/protocol';
import { addsUp } from '@webfarer/protocol/crawl';
import { readFolder } from '@webfarer/coordinator';
import { folderRecords } from '../judge/folder-records.ts';
import type { BrowserWeb } from './browser-web.ts';
import { isNeeding, type PageKind } from './pages.ts';

/** What a crawl found on a page. */
export interface Find {
  url: string;
  links: string[];
  text: string;
}

export interface CrawlFinds {
  finds: readonly Find[];
  records: readonly PageRecord[];
  balance: Balance;
}

export interface FindFindings {
  pages: number;
  rendered: number;
  /** Pages of the web that have no record that says done. */
  lost: number;
  /** URLs with two records or two finds. */
  duplicates: number;
  balanced: boolean;
  /** Links and sentences of the web that were found on the page that has them. */
  links: Set<string>;
  texts: Set<string>;
  /** How many were not, by kind of page. */
  missing: Partial<Record<PageKind, number>>;
  /** Tries beyond the first of each page. */
  retries: number;
  failures: string[];
}

/** What is there, each with its page. */
export function truthOf(web: BrowserWeb) {
  const all = [...web.pages.entries()];
  return {
    needed: all.filter(([, { kind }]) => isNeeding(kind)).length,
    links: all.flatMap(([url, page]) => page.links.map((path) => `${url} ${web.urlOf(page, path)}`)),
    texts: all.flatMap(([url, page]) => page.texts.map((text) => `${url} ${text}`)),
  };
}

export function judgeFinds(web: BrowserWeb, { finds, records, balance }: CrawlFinds): FindFindings {
  const found = new Map(finds.map((find) => [find.url, find]));
  const done = new Set(records.filter(({ verdict }) => verdict === 'done').map(({ url }) => url as string));
  const [links, texts] = [new Set<string>(), new Set<string>()];
  const missing: FindFindings['missing'] = {};
  for (const [url, page] of web.pages) {
    const before = links.size + texts.size;
    const find = found.get(url);
    const there = new Set(find?.links);
    for (const path of page.links) {
      const link = web.urlOf(page, path);
      if (there.has(link)) links.add(`${url} ${link}`);
    }
    for (const text of page.texts) if (find?.text.includes(text)) texts.add(`${url} ${text}`);
    const left = page.links.length + page.texts.length + before - links.size - texts.size;
    if (left > 0) missing[page.kind] = (missing[page.kind] ?? 0) + left;
  }
  return {
    pages: done.size,
    rendered: records.filter(({ rendered }) => rendered !== undefined).length,
    lost: [...web.pages.keys()].filter((url) => !done.has(url)).length,
    duplicates: records.length - new Set(records.map(({ url }) => url)).size + finds.length - found.size,
    balanced: addsUp(balance) && balance.queued + balance.leased === 0 && balance.known === records.length,
    links,
    texts,
    missing,
    retries: records.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0),
    failures: records.flatMap(({ url, verdict, reason, detail }) =>
      verdict === 'done' ? [] : [`${url}: ${reason} ${detail ?? ''}`],
    ),
  };
}

/** The share of what one crawl found that another found too. */
export function recall(of: ReadonlySet<string>, among: ReadonlySet<string>): number {
  if (of.size === 0) return 0;
  return [...of].filter((one) => among.has(one)).length / of.size;
}

/** What a crawl folder holds in the end. */
export async function readFinds(folder: string): Promise<CrawlFinds> {
  const { records, balance } = await folderRecords(folder);
  const reader = await readFolder(folder);
  const finds: Find[] = [];
  try {
    for await (const { item } of reader.results.items(reader.crawl)) finds.push(item as unknown as Find);
  } finally {
    await reader.close();
  }
  return { finds, records, balance };
}
