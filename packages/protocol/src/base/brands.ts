/** Strings with one meaning each. Only the function that checks a value may brand it. */
declare const brand: unique symbol;
export type Branded<T, B extends string> = T & { readonly [brand]: B };

/** An absolute http(s) URL in WHATWG serialisation, normalised by the crawl's rules. */
export type Url = Branded<string, 'Url'>;
/** A lower-case host name or IP literal, without port: the unit of politeness. */
export type HostKey = Branded<string, 'HostKey'>;
/** A registered domain (or the host itself where there is none): the unit of budgets and sharding. */
export type SiteKey = Branded<string, 'SiteKey'>;
export type CrawlId = Branded<string, 'CrawlId'>;
/** What stands before a dot in it, if anything, names the part of the store that holds the lease. */
export type LeaseId = Branded<string, 'LeaseId'>;
export type WorkerId = Branded<string, 'WorkerId'>;
