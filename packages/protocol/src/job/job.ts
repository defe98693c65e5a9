import type { HostKey } from '../base/brands.ts';
import type { ScreenshotKind } from '../crawl/record.ts';
import type {
  NormaliseRules,
  CrawlOrder,
  LabelRule,
  ScopeRules,
  SiteCredentials,
  UrlPattern,
  UrlRule,
} from '../url/rules.ts';

/**
 * A job with everything decided: all defaults applied, times in milliseconds (`...Ms`), sizes in bytes
 * (`...Bytes`). An absent limit means none. What a person may write is `JobInput` in job-schema.ts.
 */
export interface Job {
  name: string;
  seeds: JobSeed[];
  /** The policy that some of it came from. As text: one that is still to be looked up. */
  policy?: string | { name: string; version: number };
  /** Whose share of the workers and whose quotas it uses. */
  team?: string;
  /** A web page or email address where site owners can reach the operator. */
  contact?: string;
  scope: ScopeRules;
  /** First match wins; a link that matches none costs nothing. */
  urlRules: UrlRule[];
  /** First match wins. */
  labels: LabelRule[];
  /** In which order the URLs of a host are fetched. */
  order: CrawlOrder;
  normalise: NormaliseRules;
  limits: Limits;
  politeness: Politeness;
  robots: RobotsPolicy;
  fetch: FetchPolicy;
  /** Who signs the requests; absent: they are not signed. */
  identity?: JobIdentity;
  /** Accounts that pages are read with; no secrets. */
  login: LoginRule[];
  /** For all pages, or by URL: the first rule that fits decides, and pages that fit none are read as they come. */
  render: Render | RenderRule[];
  /** Pictures of shown pages that are kept. */
  screenshots: ScreenshotKind[];
  /** Shown pages are kept as PDF too. */
  pdf: boolean;
  /** What is done on pages in a browser before they are read; all rules that fit, in their order. */
  steps: StepRule[];
  scraper: ScraperChoice;
  /** Items that are made of pages without code. */
  extract: ExtractRule[];
  /** Fields that together say which item is which, when two crawls are compared; empty: by their pages. */
  itemKey: string[];
  save: SaveTarget[];
  /** Files that pages lead to, copied out at the end; absent: none. */
  files?: FileRules;
  /** A copy to read offline, made at the end of what was saved; absent: none. */
  mirror?: Mirror;
  /** How long a coordinator keeps the crawl after its end; absent: for ever. */
  retention?: { keepMs: number };
  thresholds: Threshold[];
  /** Processes that fetch; 1: the one that was started does. */
  processes: number;
  /** What several processes share the crawl through; absent: the crawl is kept in its folder. */
  store?: StoreChoice;
}

export const durabilities = ['strict', 'available'] as const;
/** `strict`: nothing counts before every copy has it. `available`: a failover may lose the latest. */
export type Durability = (typeof durabilities)[number];

export interface StoreChoice {
  url: string;
  durability: Durability;
  /** A store on another machine need not ask for a password. */
  insecure: boolean;
  /** Results of a group of hosts that stay in the store; absent: the usual number. */
  backlog?: number;
}

export type JobSeed = { url: string } | { file: string } | { sitemap: string };

export interface Limits {
  pages?: number;
  bytes?: number;
  durationMs?: number;
  depth?: number;
  cost?: number;
  perHost: Budget;
  perSite: Budget;
  /** Free disk space below which the crawl pauses. */
  minFreeBytes: number;
}

export interface Budget {
  pages?: number;
  bytes?: number;
}

export interface Politeness {
  /** From the end of one request to a host to the start of the next. */
  gapMs: number;
  /** Requests in flight on each of `ownHosts`; always 1 on all others. */
  perHost: number;
  ownHosts: HostKey[];
  /** Requests in flight on one public IP address from one process; at least `perHost` for `ownHosts`. */
  perAddress: number;
  /** The gap is at least this many times what the host took to answer. */
  slowFactor: number;
  crawlDelayMaxMs: number;
  retryAfterMaxMs: number;
  /** Hosts that one process fetches from at once. */
  connections: number;
  /** Hosts that are treated otherwise; of several that fit, the most specific holds. */
  hosts: HostTreatment[];
}

/** What holds for some hosts in place of what holds for all. */
export interface HostTreatment {
  /** A host, or `*.domain` for a domain and all below it; see `hostPattern`. */
  match: string;
  gapMs?: number;
  /** Requests in flight on each; more than 1 only on hosts among `ownHosts`. */
  connections?: number;
  block: boolean;
}

export interface RobotsPolicy {
  obey: boolean;
  /** The own hosts for which `obey: false` holds; robots.txt is obeyed everywhere else. */
  ignoreFor: HostKey[];
  sitemaps: boolean;
  giveUpAfterMs: number;
  maxAgeMs: number;
}

export interface FetchPolicy {
  /** For the whole request, from name look-up to the last byte, without waits for its address. */
  timeoutMs: number;
  maxBodyBytes: number;
  maxDecodedBytes: number;
  redirects: number;
  retries: { count: number; backoffMs: number; deadAfter: number; poisonAfter: number };
  types: TypeRules;
  /** With `{version}` and `{contact}` still in it; `userAgentFor` fills them. */
  userAgent: string;
  headers: [string, string][];
  /** Names and passwords by origin. Never written down with the job. */
  credentials: SiteCredentials[];
  /** First match wins; none means direct. */
  proxy: ProxyRule[];
  /** Origins (`http://localhost:3000`) and address ranges (`10.0.0.0/8`). */
  allowPrivate: string[];
  cookies: boolean;
  /** A cookies.txt that the jar is filled from. */
  cookieFile?: string;
  handlerTimeoutMs: number;
  /** `safe`: every port but those of other services (`unsafePorts`). */
  ports: 'safe' | number[];
  /** Resolver addresses; empty means the system's. */
  dns: string[];
  /** Path of a PEM file with certificate authorities trusted besides the built-in ones. */
  ca?: string;
}

/** Web Bot Auth: requests carry a signature that sites can check with a published key. */
export interface JobIdentity {
  /** The origin that publishes the public key: `https://crawler.example.org`. */
  directory: string;
  /** File of the private key on the machine that fetches; absent: the key is given to the process. */
  keyFile?: string;
  /** Patterns of the hosts whose requests are signed; see `hostPattern`. */
  hosts: string[];
}

/** What a job saves unless it says otherwise: what people read, and the feeds that list it. */
export const typesSaved: string[] = [
  'text/*',
  'application/xhtml+xml',
  'application/pdf',
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/feed+json',
];

/** Content types by `type/*` patterns. Saved is what fits `save` and not `ignore`. */
export interface TypeRules {
  save: string[];
  ignore: string[];
}

export interface ProxyRule {
  match?: UrlPattern;
  unless?: UrlPattern;
  /** `direct`, or `socks5://…`, `http://…` and the like. */
  use: string;
}

/** Pages of a site are read with an account of the operator's. What opens it is not in the job. */
export interface LoginRule {
  /** A domain, for itself and all hosts below it; or an address. */
  site: string;
  /** Which account of the site. */
  as: string;
  check: LoginCheck;
  /** The page with the form that stored names and passwords are sent to. */
  form?: string;
  /** Between two pages that are read with this account, whichever host has them. */
  gapMs?: number;
}

/** How an answer shows that the account is logged in. Statuses 401 and 403 always show that it is not. */
export interface LoginCheck {
  /** Every HTML page has an element that fits. */
  selector?: string;
  /** Every HTML page has this text in its source. */
  text?: string;
  /** Where those are sent who are not logged in. */
  url?: UrlPattern;
  /** The pages that show selector and text; absent: all. */
  pages?: UrlPattern;
}

export const renders = ['never', 'auto', 'always'] as const;
export type Render = (typeof renders)[number];

/** Whether pages that fit one of the patterns are shown in a browser; without patterns: all. */
export interface RenderRule {
  match?: UrlPattern[];
  do: Render;
}

export interface StepRule {
  /** Absent: every HTML page. */
  pages?: UrlPattern[];
  steps: PageStep[];
}

/** One thing that is done on a page. */
export interface PageStep {
  /** Where it stands in the job: `steps[0].do[2]`. */
  at: string;
  action: StepAction;
  /** Absent: the time that the page has left. */
  timeoutMs?: number;
  /** The page is read also where it fails. */
  optional: boolean;
}

/**
 * Elements are named by CSS selectors, or as `text/…`, `aria/…`, `xpath/…` or `pierce/…`; of several names the first that
 * fits something visible counts.
 */
export type StepAction =
  | { kind: 'wait'; for: { element: string[] } | { text: string } | { expression: string } | { quiet: true } }
  /** As long as it is there, so many times. */
  | { kind: 'click'; on: string[]; times: number }
  | { kind: 'type'; into: string[]; from: { text: string } | { env: string } }
  | { kind: 'press'; key: string }
  | { kind: 'select'; in: string[]; value: string }
  /** To the end, as long as that brings more, so many times. */
  | { kind: 'scroll'; in?: string[]; most: number }
  /** Once, to a place in pixels. */
  | { kind: 'scrollTo'; in?: string[]; top: number; left: number }
  | { kind: 'expand'; all: string[]; most: number }
  | { kind: 'dismiss'; any: string[] };

export type ScraperChoice =
  /** Follow links; with patterns only those that fit one. */
  | { kind: 'links'; follow: UrlPattern[] }
  /** Find ids (first group of the expression, or all of it) and fetch the template for each. */
  | { kind: 'ids'; find: string; template: string }
  /** Follow what is in scope and check what is not: how a site is built and what it depends on. */
  | { kind: 'site'; check: boolean }
  | { kind: 'module'; path: string };

export interface ExtractRule {
  /** Absent: every HTML page. */
  pages?: UrlPattern[];
  /** Each element that this selector finds is an item; absent: the page is one. */
  each?: string;
  fields: ExtractField[];
}

export const extractTypes = ['text', 'number', 'integer', 'boolean', 'date', 'url', 'html'] as const;
export const pageFacts = [
  'url',
  'title',
  'language',
  'description',
  'canonical',
  'published',
  'authors',
] as const;

export interface ExtractField {
  name: string;
  from: FieldSource;
  type: (typeof extractTypes)[number];
  /** All values, not only the first. */
  list: boolean;
  required: boolean;
  default?: string | number | boolean;
}

export type FieldSource =
  /** A selector, with `@attribute` behind it or not; see `elementPath`. */
  | { css: string }
  | { jsonLd: string }
  | { microdata: string }
  | { openGraph: string }
  | { regex: string }
  | { page: (typeof pageFacts)[number] };

/** Where bodies are kept in a network: at the worker that fetched them, or at its coordinator. */
export const saveSides = ['worker', 'coordinator'] as const;

/** Where objects are, and how they are reached. No secret is part of it. */
export interface ObjectPlace {
  /** `s3://bucket/prefix` or `file:///folder` */
  address: string;
  /** URL of a server that is not that of AWS. */
  endpoint?: string;
  region?: string;
  /** The bucket in the path of a URL rather than in the name of its host; absent: where there is an endpoint. */
  pathStyle?: boolean;
  /** False: connections to private addresses are refused. */
  allowPrivate?: boolean;
  /** For one request. */
  timeoutMs?: number;
}

export interface WarcTarget {
  kind: 'warc';
  rotateBytes: number;
  dedupe: boolean;
  at: (typeof saveSides)[number] | 'objects';
  /** Present with `at: objects`, but for a storage that only a coordinator knows. */
  objects?: ObjectPlace;
  /** Under which name the coordinator knows it. */
  storage?: string;
}

export const markdownForms = ['files', 'jsonl'] as const;
export const markdownContents = ['markdown', 'text'] as const;

/** How the entries of a tar archive are compressed; but for `none`, the last part of its name. */
export const tarCompressions = ['none', 'gz', 'bz2', 'zst'] as const;
export type TarCompression = (typeof tarCompressions)[number];

export type SaveTarget =
  | WarcTarget
  | { kind: 'files'; name: string }
  | { kind: 'tar'; name: string; compress: TarCompression }
  | {
      kind: 'markdown';
      as: (typeof markdownForms)[number];
      name: string;
      /** Only the main content of each page. */
      main: boolean;
      content: (typeof markdownContents)[number];
    }
  | { kind: 'redis'; key: string; maxBodyBytes: number; ttlMs?: number }
  | { kind: 'none' }
  | { kind: 'module'; path: string };

export interface FileRules {
  /** Content types, also as patterns. */
  types: string[];
  /** The pages whose links and images count. */
  from: UrlPattern[];
}

export interface Mirror {
  /** Seen from the folder of the job file; absent: `mirror/` in the crawl folder. */
  folder?: string;
}

export const thresholdSigns = ['<', '<=', '>', '>='] as const;
export interface Threshold {
  /** A verdict, a reason code, an HTTP status (`404`), a status class (`5xx`) or `items`. */
  of: string;
  sign: (typeof thresholdSigns)[number];
  value: number;
  /** The value is a share of all settled URLs. */
  percent: boolean;
}
