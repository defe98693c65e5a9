export const stays = ['path', 'host', 'site', 'web'] as const;
/** How far links are followed, seen from the seeds. */
export type Stay = (typeof stays)[number];

/** A glob, or a regular expression that may match anywhere in the URL. `{seeds}` stands for any seed's host. */
export type UrlPattern = string | { regex: string; flags?: 'i' };

export interface ScopeRules {
  stay: Stay;
  /** Empty: everything that `stay` allows. */
  include: UrlPattern[];
  exclude: UrlPattern[];
  /** Images, style sheets and scripts of in-scope pages, from any host. */
  requisites: boolean;
}

export interface UrlRule {
  /** Neither `match` nor `unless`: every URL. */
  match?: UrlPattern;
  unless?: UrlPattern;
  /** What a link's cost is made of its page's cost: `add` to it, or `times` it. */
  cost: { add: number } | { times: number };
  /** From 1, fetched first, to 8, in a job whose order is `best-first`. Absent: the cost decides. */
  priority?: number;
}

/** The label of the URLs that fit one of the patterns, whatever they are followed as. */
export interface LabelRule {
  label: string;
  match: UrlPattern[];
}

export const orders = ['found', 'best-first'] as const;
/** In which order the URLs of a host are fetched. */
export type CrawlOrder = (typeof orders)[number];

export interface NormaliseRules {
  enabled: boolean;
  /** Order query parameters by name. Without it, the order a site writes them in is kept. */
  sort: boolean;
  /** Query and path parameters that are dropped, whatever their case; `*` stands for anything. */
  strip: string[];
}

/**
 * What one origin (scheme, host and port) is sent: a name and password (HTTP Basic, or by the login form of the origin), or
 * a bearer token.
 */
export type SiteCredentials = { origin: string } & (
  | { user: string; password: string; form?: true }
  | { token: string }
);
