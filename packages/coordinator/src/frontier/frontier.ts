import type {
  Balance,
  CrawlId,
  CrawlState,
  DroppedReason,
  Entry,
  HostKey,
  HostLeaseAnswer,
  HostLeaseRequest,
  HostSums,
  HostWait,
  LeaseAnswer,
  LeaseRef,
  LeaseReport,
  LeaseRequest,
  Offer,
  OutcomeReason,
  PageRecord,
  RefusedReason,
  RenewAnswer,
  ReportAnswer,
  RobotsCopy,
  Url,
  Verdict,
  WorkerId,
} from '@webfarer/protocol';
import type { RecordFilter } from '../results/results.ts';

/**
 * Which URLs are known, queued, leased and settled; who may fetch what, and when.
 * Every method is one whole transition, atomic and durable when it resolves. Implementations: SQLite
 * (one process) and Redis Cluster; `frontier.suite.ts` is what all of them pass. README.md beside this
 * file draws the states.
 */
export interface Frontier {
  /**
   * Registers a crawl, or changes the settings of a known one. Leaves its state alone, `running` when new. Answers its
   * nonce, made when it was registered: it tells the crawl from an erased one of the same name.
   */
  openCrawl(crawl: FrontierCrawl): Promise<string>;
  /**
   * What the crawl may do: only `running` is granted leases; reports are always accepted. `wish` numbers what operators
   * want of it: a wish that is older than the last one changes nothing. Answers the state that is in force.
   */
  setState(crawl: CrawlId, state: CrawlState, wish?: number): Promise<CrawlState>;

  /** New URLs become queued, known ones nothing (but see `upgrades`), those over a host's or site's budget are counted and dropped. */
  offer(crawl: CrawlId, offers: Offer[]): Promise<OfferVerdict[]>;
  /**
   * Offers seeds, a long list in several calls. The call that says `last` marks the crawl as seeded, for ever and together
   * with its offers: until then `finish` answers no. Seeding that was cut off is therefore begun again from the first
   * seed by the next process that opens the crawl; seeds that are known already change nothing.
   */
  seed(crawl: CrawlId, offers: Offer[], part: { last: boolean }): Promise<OfferVerdict[]>;

  lease(request: GrantRequest): Promise<GrantAnswer>;
  /**
   * Somebody would take URLs of the crawl: in how many ms one may be due, as far as is known without a look at the store. 0:
   * ask for a lease.
   */
  dueInMs(crawl: CrawlId): number;
  leaseHost(request: HostLeaseRequest): Promise<HostLeaseAnswer>;
  renew(leases: LeaseRef[]): Promise<RenewAnswer[]>;
  /**
   * Links and items of a page become durable together with its outcome, never after it. Rejects with `epoch-changed`
   * where a report leaves out links that were known in another epoch than this one.
   */
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;

  /**
   * One bounded step of upkeep: expires leases, settles dead hosts and spent budgets, 500 entries at most.
   * `settled` counts those, not what an expired lease had in hand once too often.
   */
  sweep(): Promise<{ expired: number; settled: number; more: boolean }>;
  /**
   * Nobody else is alive (an OS lock says so): ends all leases at once; their hosts owe one gap from now, and the entry
   * in hand is charged as with an expiry. Given a worker, only that one is known to be dead, and only its leases end.
   */
  releaseAll(worker?: WorkerId): Promise<number>;
  /**
   * Ends the crawl as `limited`, in one step, if a ceiling of its own is reached and nothing of it is leased, or about to be.
   * Answers which ceiling, also where it was ended so before.
   */
  limit(crawl: CrawlId): Promise<'pages' | 'bytes' | undefined>;
  /** Closes the crawl as `finished` if it is seeded and nothing is queued or leased. */
  finish(crawl: CrawlId): Promise<boolean>;
  /**
   * One bounded step of putting settled URLs back into the queue with fresh tries: `retryAll` takes all steps. Old
   * records go, dead hosts revive. What is settled again after the first step is left alone, so each URL moves once;
   * a step that was cut off and is taken again moves what is left.
   */
  retry(crawl: CrawlId, step: UrlStep<RecordFilter>): Promise<UrlStepAnswer>;
  /** One bounded step of settling queued URLs as refused for this reason, in the same way. */
  drop(crawl: CrawlId, step: UrlStep<QueueFilter>, reason: DropReason): Promise<UrlStepAnswer>;

  /**
   * One bounded step of forgetting hosts for ever: `forgetAll` takes all steps. From the first one on their URLs are barred:
   * offers are dropped as `forgotten`, and their leases are over. Then all that is known of these URLs goes, and leaves
   * the sums; records and links of other pages lose what names them. Steps may be cut off and begun again.
   */
  forget(crawl: CrawlId, order: ForgetOrder, after: string): Promise<ForgetStep>;
  /**
   * Everything of the hosts is gone, captures included: the tombstone says so from now on, and what was deleted leaves the
   * free space of the store as well.
   */
  forgot(crawl: CrawlId, pattern: string, sums: ForgottenSums): Promise<void>;
  /** The hosts that were, or are being, forgotten. */
  forgotten(crawl: CrawlId): Promise<Tombstone[]>;

  /**
   * What the store has said of this crawl's URLs holds as long as the epoch is the same. It changes whenever the store
   * may have gone back in time (a backup was restored, a server that lacks the last writes took over) and with the
   * crawl itself, should another one be begun under the name of one that was erased. Undefined: no such crawl is known
   * here.
   */
  epoch(crawl: CrawlId): string | undefined;
  state(crawl: CrawlId): Promise<CrawlState>;
  balance(crawl: CrawlId): Promise<Balance>;
  totals(crawl: CrawlId): Promise<CrawlTotals>;
  /** Both as of one moment, for the price of one. */
  overview(crawl: CrawlId): Promise<CrawlOverview>;
  /** The hosts with queued URLs that are due next, soonest first. */
  waiting(crawl: CrawlId, limit: number): Promise<(HostWait & HostSums)[]>;
  /** What the crawl has of these hosts; those that it does not know are left out. */
  hostSums(crawl: CrawlId, hosts: readonly HostKey[]): Promise<Map<HostKey, HostSums>>;
  /**
   * One bounded step of a search through the known URLs: first those queued, then those leased, then outcomes in the
   * order of settling. A page may be short, or empty, before the last one. A URL that stays in its state is found once;
   * one that moves on between two pages may be found in both states.
   */
  urls(crawl: CrawlId, search: UrlSearch): Promise<UrlPage>;
  /** All that is known of one URL, for `explain`. */
  look(crawl: CrawlId, url: Url): Promise<UrlStory | undefined>;
  robots(origin: string): Promise<RobotsCopy | undefined>;
  /**
   * Adds to the time for which the crawl has run, over all processes: several that run it at once count once. Answers it.
   */
  keepTime(crawl: CrawlId, ran: RanTime): Promise<number>;
  close(): Promise<void>;
}

/** For how long a process has run a crawl. */
export interface RanTime {
  /** Since it last said so. */
  sinceMs: number;
  /** In all, as far as it knows. */
  atLeastMs: number;
}

/** What only a process can do that has the store of its frontier to itself: no other one grants or renews leases. */
export interface SoleOwner {
  /** The leases that a worker has. */
  grantedTo(worker: WorkerId): Promise<LeaseRef[]>;
  /**
   * The owner was away, so nobody could renew: leases that are not over, or ran out meanwhile, begin anew, so that what
   * was fetched under them is still accepted.
   */
  renewAll(): Promise<number>;
}

/** What the frontier must know of a crawl. Times in ms; an absent limit means none. */
export interface FrontierCrawl {
  id: CrawlId;
  /** As the catalog has it: a crawl of the same id that was created since is left alone. Absent: not in a catalog. */
  nonce?: string;
  /** The version of the catalog's entry that the settings are from: those of a later one are left alone. Absent: not in a catalog. */
  edit?: number;
  /** Hosts are shared by teams first, then by the crawls of each. Absent: `defaultTeam`. */
  team?: string;
  /** Smallest pause between the end of one request to a host and the start of the next. */
  gapMs: number;
  leaseTtlMs: number;
  /** Longest possible fetch: a host whose lease ran out stays held that much longer, plus the gap. */
  maxFetchMs: number;
  /** Back-off after a host's first trouble, doubled each round up to one hour. */
  backoffMs: number;
  /** Rounds of trouble without an answer in between after which a host is dead. */
  deadAfter: number;
  /**
   * Leases that ended without a word (expired, or their worker died) with the same URL in hand after which it
   * settles as failed(poison). The first unsettled entry of a lease is the one in hand; one that was charged before is
   * charged again only if its worker had reported it as begun. Absent: never.
   */
  poisonAfter?: number;
  /**
   * An offer may ask for more than the one before it: a label or data where there was neither, or a page where there was
   * only a requisite. Such an offer upgrades a known URL; one that was visited already is visited once more. Absent: no.
   */
  upgrades?: boolean;
  limits: {
    /** Ceiling of done entries of kind `page`: leased ones count as if done, so it is never passed. */
    pages?: number;
    bytes?: number;
    hostPages?: number;
    hostBytes?: number;
    sitePages?: number;
    siteBytes?: number;
  };
}

export type OfferVerdict =
  | 'accepted'
  | 'known'
  | Extract<DroppedReason, 'host-budget' | 'site-budget' | 'forgotten'>;

export interface GrantRequest extends LeaseRequest {
  /** Only URLs of these crawls; absent: of any. */
  crawls?: readonly CrawlId[];
}

export interface GrantAnswer extends LeaseAnswer {
  /** Crawls that have work due but may not have it, because a ceiling of theirs is reached. */
  limited: { crawl: CrawlId; by: 'pages' | 'bytes' }[];
}

export interface CrawlOverview {
  balance: Balance;
  totals: CrawlTotals;
}

export interface CrawlTotals {
  state: CrawlState;
  bytes: number;
  items: number;
  edges: number;
  hosts: number;
  /** Hosts that have something queued. */
  hostsQueued: number;
  /** Settled records by verdict and reason, and done ones by HTTP status. Kept, never counted. */
  byReason: Partial<Record<OutcomeReason, number>>;
  byStatus: Record<string, number>;
  /** Links that were not queued, by reason. */
  dropped: Partial<Record<DroppedReason, number>>;
}

export type UrlStory =
  | { state: 'queued'; entry: Entry; host: HostWait; ahead: number }
  | { state: 'leased'; entry: Entry; worker: string; forMs: number }
  | { state: 'settled'; record: PageRecord };

export type UrlState = 'queued' | 'leased' | Verdict;

/** Which known URLs are meant; all conditions hold. */
export interface UrlFilter extends Omit<RecordFilter, 'verdict'> {
  state?: UrlState;
}

export type QueueFilter = Pick<RecordFilter, 'host' | 'site' | 'prefix' | 'depth'>;

export interface UrlSearch {
  filter: UrlFilter;
  /** `next` of the page before; '' for the first page. */
  after: string;
  limit: number;
}

export type KnownUrl = { state: 'queued' | 'leased'; entry: Entry } | { state: Verdict; record: PageRecord };

export interface UrlPage {
  urls: KnownUrl[];
  /** URLs that were looked at for this page. */
  searched: number;
  /** Where the search continues; undefined: all was searched. */
  next: string | undefined;
}

/** Why an operator's order, or a narrower scope, takes a URL from the queue. */
export type DropReason = Extract<RefusedReason, 'dropped' | 'scope'>;

export interface UrlStep<Filter> {
  filter: Filter;
  /** `next` of the step before; '' for the first. */
  after: string;
  /** Only these of them. */
  only: (url: Pick<Entry, 'url' | 'kind' | 'depth'>) => boolean;
}

export interface UrlStepAnswer {
  moved: number;
  searched: number;
  /** Where the next step begins; undefined: this was the last one. */
  next: string | undefined;
}

export interface ForgetOrder {
  /** A host, or `*.` and a domain, as `hostPattern` writes it. */
  pattern: string;
  /** Captures of other hosts that have another place now. */
  moved: readonly MovedPlace[];
  /** Captures of the hosts that are not erased with the rest: how many, by whose folder has them. */
  elsewhere?: Readonly<Record<string, number>>;
  /** Folders that are known to be deleted: nothing is elsewhere in these any more. */
  gone?: readonly string[];
}

/** A capture that was copied, because its body stood in a capture that is erased. */
export interface MovedPlace {
  /** Whose folder, where several share a crawl; absent too where it was in object storage. */
  member?: string;
  from: { file: string; offset: number };
  to: { file: string; offset: number; length: number; shared?: true };
  /** The capture that it refers to now; absent: it has its body itself. */
  refersTo?: { url: string; startedAtMs: number; file: string; offset: number; length: number };
  /** Bytes by which what a browser made of it is farther from its start. */
  shift: number;
}

export interface ForgetStep {
  /** URLs that are gone. */
  urls: number;
  /** Where the next step begins; undefined: this was the last one. */
  next: string | undefined;
  /** A request to one of the hosts may still be under way: the next step can do nothing before this long. */
  waitMs?: number;
}

/** What went when hosts were forgotten, in numbers. */
export interface ForgottenSums {
  urls: number;
  captures: number;
}

/** All that is left of hosts that were forgotten. */
export interface Tombstone {
  pattern: string;
  sinceMs: number;
  /** Captures in folders that could not be reached, by whose folder it is. The records that named them are gone. */
  elsewhere?: Readonly<Record<string, number>>;
  /** Absent: something of it may still be there. */
  done?: ForgottenSums & { atMs: number };
}
