import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Explanation } from '../../crawl/reading/explain.ts';
import type { ScopePreviewStep } from '../../crawl/scope-preview.ts';
import type { LinksToPage, UrlFacts } from '../../crawl/reading/url-facts.ts';
import type {
  CrawlOverview,
  QueueFilter,
  UrlPage,
  UrlSearch,
  UrlStep,
  UrlStepAnswer,
} from '../../frontier/frontier.ts';
import type { RecordFilter } from '../../results/results.ts';

/** The URLs of a crawl, whether it is open here, at another coordinator of the store, or at rest. */
export interface CrawlUrls {
  /** What the store has counted; undefined where the crawl is not on this machine. */
  overview(entry: CatalogEntry): Promise<CrawlOverview | undefined>;
  search(entry: CatalogEntry, search: UrlSearch): Promise<UrlPage>;
  explain(entry: CatalogEntry, url: string): Promise<Explanation>;
  /** Everything that is recorded about one URL. */
  facts(entry: CatalogEntry, url: string): Promise<UrlFacts>;
  /** One step of the search for pages that link to it. */
  linksTo(entry: CatalogEntry, url: string, after: string): Promise<LinksToPage>;
  /** A crawl that is at rest stays so until it is resumed. */
  retry(entry: CatalogEntry, step: UrlStep<RecordFilter>): Promise<UrlStepAnswer>;
  drop(entry: CatalogEntry, step: UrlStep<QueueFilter>): Promise<UrlStepAnswer>;
  /** One step of offering the links of the pages so far again. */
  relink(entry: CatalogEntry, after: string): Promise<UrlStepAnswer>;
  /** One step of finding out what a job with another scope would do to the URLs, without doing it. */
  previewScope(entry: CatalogEntry, wanted: { input: unknown; after: string }): Promise<ScopePreviewStep>;
}
