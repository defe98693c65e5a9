import type { CrawlId, WorkerId, WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import type { EventBus } from './event-bus.ts';

export interface WorkerNewsParts {
  crawl: (id: CrawlId) => LinkCrawl | undefined;
  events: Pick<EventBus, 'publish'>;
}

/** Publishes what a worker says of single crawls and has not said before. */
export function publishNews(
  { crawl: find, events }: WorkerNewsParts,
  worker: WorkerId,
  { before, look }: { before: WorkerLook | undefined; look: WorkerLook },
): void {
  for (const { crawl, code, message } of look.unable ?? []) {
    if (before?.unable?.some((one) => one.crawl === crawl && one.message === message)) continue;
    const name = find(crawl)?.job.name ?? crawl;
    events.publish({ type: 'worker-unable', worker, crawl, name, code, message });
  }
  for (const { crawl, message: text } of look.blocking ?? [])
    if (!before?.blocking?.some((one) => one.crawl === crawl && one.message === text))
      events.publish({ type: 'worker-blocked', worker, crawl, text });
}
