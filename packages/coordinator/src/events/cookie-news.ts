import type { CrawlId, LeaseReport } from '@webfarer/protocol';
import type { EventBus } from './event-bus.ts';

/**
 * Reports the cookies that workers do not keep, and that are not passed on between them. Thousands of pages of a site may
 * each set some, so the event comes with the first, and each time there are ten times as many.
 */
export function tellCookiesLeftOut(
  crawl: CrawlId,
  events: Pick<EventBus, 'publish'>,
): (report: Pick<LeaseReport, 'host' | 'cookiesLeftOut'>) => void {
  let count = 0;
  let next = 1;
  return ({ host, cookiesLeftOut = 0 }) => {
    count += cookiesLeftOut;
    if (count < next) return;
    events.publish({ type: 'cookies-left-out', crawl, host, count });
    while (next <= count) next *= 10;
  };
}
