import type { CrawlId, PageRecord, Url } from '@webfarer/protocol';
import type { PageLinks } from '@webfarer/protocol/link';
import type { RecordFilter } from './results.ts';
import { linksTo } from './links-to.ts';
import type { ResultEntry, ResultKind, Results, ResultsCursor, ResultsSource } from './results.ts';

const pageSize = 1_000;
/** Results handed out before others have the event loop: what is done with each may take as long as reading it. */
const inOneTurn = 200;

/**
 * Lets others have the event loop between two pages. Awaiting an answer that is already there does not, so a loop over
 * a million records would otherwise hold up everything else in the process.
 */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Everything that can be asked about results, of any store. */
export function readResults(source: ResultsSource): Results {
  async function* pages(
    crawl: CrawlId,
    kind: ResultKind,
    filter: RecordFilter = {},
  ): AsyncGenerator<ResultEntry[]> {
    const query = { kinds: [kind], filter, limit: pageSize, absent: 'pass' as const };
    for (let cursor: ResultsCursor | undefined; ; ) {
      const page = await source.after(crawl, cursor, query);
      for (let at = 0; at < page.entries.length; at += inOneTurn) {
        if (at > 0) await nextTurn();
        yield page.entries.slice(at, at + inOneTurn);
      }
      if (!page.more) return;
      ({ cursor } = page);
      await nextTurn();
    }
  }

  async function* records(crawl: CrawlId, filter?: RecordFilter): AsyncGenerator<PageRecord> {
    for await (const page of pages(crawl, 'record', filter))
      for (const entry of page) if (entry.kind === 'record') yield entry.record;
  }

  async function* items(crawl: CrawlId): AsyncGenerator<{ url: Url; item: unknown }> {
    for await (const page of pages(crawl, 'item'))
      for (const entry of page) if (entry.kind === 'item') yield { url: entry.url, item: entry.item };
  }

  async function* edges(crawl: CrawlId): AsyncGenerator<PageLinks> {
    for await (const page of pages(crawl, 'links'))
      for (const entry of page) if (entry.kind === 'links') yield entry.links;
  }

  return {
    ...source,
    records,
    items,
    edges,
    linksTo: (crawl, urls, limit) => linksTo(edges(crawl), urls, limit),
  };
}
