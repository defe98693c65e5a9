import type { CrawlEvent, EventsMissed, Url } from '@webfarer/protocol';
import type { BannerFacts, RobotsFacts } from '../view/banner.ts';

/** Collects the banner's facts about the site until the first page has been fetched. */
export interface BannerGate {
  feed(event: CrawlEvent | EventsMissed): void;
  /** Resolves when the first page has answered: nothing more will come that the banner waits for. */
  readonly ready: Promise<void>;
  facts(): Pick<BannerFacts, 'redirect' | 'robots' | 'sitemapUrls'>;
}

export function createBannerGate(inScope: (url: Url) => boolean): BannerGate {
  const ready = Promise.withResolvers<void>();
  let robots: RobotsFacts | undefined;
  let redirect: { to: Url; inScope: boolean } | undefined;
  let sitemapUrls: number | undefined;
  let records = 0;
  return {
    ready: ready.promise,
    feed(event) {
      if (event.type === 'robots') robots ??= event;
      if (event.type === 'crawl-paused' || event.type === 'crawl-stalled') ready.resolve();
      if (event.type !== 'record') return;
      const { record } = event;
      if (record.kind === 'sitemap') {
        sitemapUrls ??= record.links;
        return;
      }
      if (++records === 1 && record.redirectTo && record.depth === 0) {
        redirect = { to: record.redirectTo, inScope: inScope(record.redirectTo) };
      }
      // A lone refusal may be the whole crawl: then one sentence says more than a banner.
      if (record.verdict === 'done' || records > 1) ready.resolve();
    },
    facts: () => ({
      ...(robots === undefined ? {} : { robots }),
      ...(redirect === undefined ? {} : { redirect }),
      ...(sitemapUrls === undefined ? {} : { sitemapUrls }),
    }),
  };
}
