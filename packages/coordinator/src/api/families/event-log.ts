import type { eventLogRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';
import { noSuchCrawl } from '../call/crawl-teams.ts';

/** What happened, from the log that a coordinator keeps in its folder. */
export function eventLogHandlers({
  eventLog,
  crawls,
}: Pick<ApiParts, 'eventLog' | 'crawls'>): HandlersOf<typeof eventLogRoutes> {
  return {
    async readCrawlLog({ params, query }) {
      const entry = await crawls.find(params.crawl);
      if (!entry) throw noSuchCrawl(params.crawl);
      return each(await eventLog.read({ ...query, crawl: entry.id }));
    },
    async readLog({ query }) {
      return each(await eventLog.read(query));
    },
  };
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
