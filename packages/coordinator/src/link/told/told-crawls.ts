import type { Clock, CrawlId, HostLease, LeaseRef } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import { type CrawlNews, frameBounds, type LinkCrawl, type Order } from '@webfarer/protocol/link';

/** The crawls of a coordinator, as its workers are told of them. */
export interface CrawlsToTell {
  crawls(): LinkCrawl[];
  crawl(id: CrawlId): LinkCrawl | undefined;
  /** There were some, and none of them can continue. */
  isOver(): boolean;
}

/**
 * What one worker knows of the crawls of its coordinator. A worker is told of a crawl before the first lease of it, then of changes of the
 * crawls it knows; so what a worker costs follows the crawls it works on, however many are open. A worker of an earlier
 * version, and one that must open everything before it begins, is told of all.
 */
export interface ToldCrawls {
  /** What it is told when it connects. */
  welcome(): { crawls: LinkCrawl[]; over?: boolean };
  /** Something about that crawl has changed. Undefined: nothing that this worker must hear. */
  changed(crawl: CrawlId): Order | undefined;
  /** It is about to hear of these leases. */
  beforeLeases(leases: readonly Pick<HostLease, 'crawl'>[]): Order | undefined;
  /** Crawls that are open and that it was not told of, because it cannot know so many. */
  untold(): readonly CrawlId[];
}

export interface ToldCrawlsOptions {
  crawls: CrawlsToTell;
  clock: Pick<Clock, 'now'>;
  /** The crawls that it knew before; undefined: it is told of all. */
  asLeased: readonly CrawlId[] | undefined;
  held: ReadonlyMap<unknown, { ref: LeaseRef | undefined }>;
}

/** A worker closes a crawl of which it had no lease for so long. */
export const REST_MS = 600_000;
const REST_LOOK_MS = 60_000;

export function tellCrawls(options: ToldCrawlsOptions): ToldCrawls {
  return options.asLeased === undefined ? tellAll(options) : tellAsLeased(options, options.asLeased);
}

/** In the order of the list, those that are over last: as many as a frame takes. */
function tellAll({ crawls }: ToldCrawlsOptions): ToldCrawls {
  const list = () => crawls.crawls().slice(0, frameBounds.crawls);
  return {
    welcome: () => ({ crawls: list() }),
    changed: () => ({ type: 'crawls', crawls: list() }),
    beforeLeases: () => undefined,
    untold: () =>
      crawls
        .crawls()
        .slice(frameBounds.crawls)
        .flatMap((crawl) => (isOver(crawl) ? [] : [crawl.id])),
  };
}

/** What it was last told of a crawl. */
interface Told {
  /** Undefined: it has closed the crawl. */
  version: string | undefined;
  leasedAtMs: number;
}

function tellAsLeased({ crawls, clock, held }: ToldCrawlsOptions, knows: readonly CrawlId[]): ToldCrawls {
  const told = new Map<CrawlId, Told>();
  /** Those of them that are over. */
  const ended = new Set<CrawlId>();
  let toldOver = false;
  let restedAtMs = clock.now();

  /** It knows this from now on. */
  function tell(crawl: LinkCrawl, leasedAtMs: number): LinkCrawl {
    told.set(crawl.id, { version: versionOf(crawl), leasedAtMs });
    if (isOver(crawl)) ended.add(crawl.id);
    else ended.delete(crawl.id);
    return crawl;
  }

  function leased(ids: Iterable<CrawlId>): LinkCrawl[] {
    const now = clock.now();
    const news: LinkCrawl[] = [];
    for (const id of new Set(ids)) {
      const known = told.get(id);
      if (known) known.leasedAtMs = now;
      const crawl = crawls.crawl(id);
      if (crawl && known?.version !== versionOf(crawl)) news.push(tell(crawl, now));
    }
    return news;
  }

  /** Of a crawl that it has closed it need not hear, unless it can forget it. */
  function changed(id: CrawlId): LinkCrawl[] {
    const known = told.get(id);
    const crawl = crawls.crawl(id);
    if (!known || !crawl || known.version === versionOf(crawl)) return [];
    return known.version === undefined && !isOver(crawl) ? [] : [tell(crawl, known.leasedAtMs)];
  }

  /** Those that have ended are forgotten with the coordinator's memory of them. */
  function gone(id: CrawlId): CrawlId[] {
    const missing = [...new Set([id, ...ended])].filter((one) => told.has(one) && !crawls.crawl(one));
    for (const one of missing) {
      told.delete(one);
      ended.delete(one);
    }
    return missing;
  }

  function resting(): CrawlId[] {
    const now = clock.now();
    if (now - restedAtMs < REST_LOOK_MS) return [];
    restedAtMs = now;
    const busy = new Set(Array.from(held.values(), ({ ref }) => ref?.crawl));
    const rest: CrawlId[] = [];
    for (const [id, known] of told) {
      const isIdle = known.version !== undefined && !busy.has(id) && now - known.leasedAtMs >= REST_MS;
      if (!isIdle || ended.has(id) || rest.length === frameBounds.crawls) continue;
      known.version = undefined;
      rest.push(id);
    }
    return rest;
  }

  function order(news: Omit<CrawlNews, 'over'>): Order | undefined {
    const over = crawls.isOver();
    if (news.crawls.length + news.gone.length + news.resting.length === 0 && over === toldOver)
      return undefined;
    toldOver = over;
    return { type: 'crawl-news', ...news, over };
  }

  return {
    welcome() {
      toldOver = crawls.isOver();
      const list = knows.flatMap((id) => crawls.crawl(id) ?? []);
      return { crawls: list.map((crawl) => tell(crawl, clock.now())), over: toldOver };
    },
    changed: (id) => order({ crawls: changed(id), gone: gone(id), resting: [] }),
    beforeLeases: (leases) =>
      order({ crawls: leased(leases.map(({ crawl }) => crawl)), gone: [], resting: resting() }),
    untold: () => [],
  };
}

/** Another one: a worker has to hear of it. */
function versionOf({ nonce, revision, secrets = '', state, urlsPerHost }: LinkCrawl): string {
  return [nonce, revision, secrets, state, urlsPerHost].join('\n');
}
