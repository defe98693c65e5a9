import type {
  Balance,
  CrawlId,
  CrawlState,
  DroppedReason,
  Entry,
  HostKey,
  HostLeaseAnswer,
  HostNews,
  LeaseReport,
  Offer,
  PageRecord,
  RenewAnswer,
  ReportAnswer,
  Url,
  WaitReason,
} from '@webfarer/protocol';
import { droppedReasons } from '@webfarer/protocol/crawl';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlTotals, FrontierCrawl, GrantAnswer, OfferVerdict } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';
import {
  balanceOf,
  edgesOf,
  entryOf,
  isForgotten,
  isLate,
  matches,
  type ModelCrawl,
  type ModelHold,
  type ModelHost,
  type ModelPair,
  type ModelUrl,
  plainBand,
  rankOf,
  siteNamed,
  totalsOf,
  unfetched,
} from './plain-url.model.ts';

/**
 * The frontier's rules in the plainest form: everything is one list of URLs, and every number is counted
 * when asked for. It is what the real ones are compared with, so it shares no code with them.
 */
export class FrontierModel {
  now: number;
  crawls = new Map<CrawlId, ModelCrawl>();
  urls = new Map<string, ModelUrl>();
  hosts = new Map<HostKey, ModelHost>();
  pairs = new Map<string, ModelPair>();
  /** `crawl host`: crawls in which a host has turned up. */
  members = new Set<string>();
  places = 0;
  settlements = 0;

  constructor(now: number) {
    this.now = now;
  }

  copy(): FrontierModel {
    const { crawls, urls, hosts, pairs, members, places, settlements } = this;
    const copied = structuredClone({ crawls, urls, hosts, pairs, members, places, settlements });
    return Object.assign(new FrontierModel(this.now), copied);
  }

  crawl(id: CrawlId): ModelCrawl {
    const crawl = this.crawls.get(id);
    if (!crawl) throw new Error(`the model has no crawl ${id}`);
    return crawl;
  }

  host(key: HostKey): ModelHost {
    const host = this.hosts.get(key) ?? { notBefore: 0, lastEnd: undefined, why: 'gap' as const };
    this.hosts.set(key, host);
    return host;
  }

  pair(crawl: CrawlId, host: HostKey): ModelPair {
    const key = `${crawl} ${host}`;
    const pair = this.pairs.get(key) ?? { troubles: 0, dead: undefined, ready: 0, turn: 0 };
    this.pairs.set(key, pair);
    return pair;
  }

  of(crawl: CrawlId, host?: HostKey): ModelUrl[] {
    return [...this.urls.values()].filter((url) => url.crawl === crawl && (!host || url.host === host));
  }

  queue(crawl: CrawlId, host: HostKey): ModelUrl[] {
    const level = ({ offer }: ModelUrl) => (offer.kind === 'sitemap' ? 0 : 1 + (offer.band ?? 0));
    const queued = this.of(crawl, host).filter((url) => url.state === 'queued');
    return queued.toSorted((a, b) => level(a) - level(b) || a.place - b.place);
  }

  /** Puts URLs of one host into the queue; a queue that was empty is ready from now on. */
  enqueue(urls: ModelUrl[]): void {
    for (const url of urls) {
      if (this.queue(url.crawl, url.host).length === 0) this.pair(url.crawl, url.host).ready = this.now;
      url.state = 'queued';
    }
  }

  // --- crawls

  openCrawl(settings: FrontierCrawl): void {
    const known = this.crawls.get(settings.id);
    const fresh = { state: 'running', wish: 0, edit: settings.edit ?? 0, seeded: false } as const;
    if (!known) this.crawls.set(settings.id, { settings, ...fresh, dropped: {}, forgotten: [] });
    else if (!isLate(known, 'edit', settings.edit)) known.settings = settings;
  }

  setState(id: CrawlId, state: CrawlState, wish?: number): CrawlState {
    const crawl = this.crawl(id);
    if (!isLate(crawl, 'wish', wish)) Object.assign(crawl, { state, limitedBy: undefined });
    return crawl.state;
  }

  seed(id: CrawlId, offers: Offer[], { last }: { last: boolean }): OfferVerdict[] {
    const verdicts = this.offer(id, offers);
    this.crawl(id).seeded ||= last;
    return verdicts;
  }

  finish(id: CrawlId): boolean {
    const crawl = this.crawl(id);
    if (!crawl.seeded || this.of(id).some((url) => url.state !== 'settled')) return false;
    crawl.state = 'finished';
    return true;
  }

  // --- limits

  sum(urls: ModelUrl[]): { done: number; leased: number; bytes: number } {
    const isPage = (url: ModelUrl) => url.offer.kind === 'page';
    return {
      done: urls.filter((url) => isPage(url) && url.record?.verdict === 'done').length,
      leased: urls.filter((url) => isPage(url) && url.state === 'leased').length,
      bytes: urls.reduce((bytes, url) => bytes + (url.record?.bytes ?? 0), 0),
    };
  }

  siteSum(id: CrawlId, host: HostKey) {
    return this.sum(this.of(id).filter((url) => siteNamed(url.host) === siteNamed(host)));
  }

  limitedBy(id: CrawlId): 'pages' | 'bytes' | undefined {
    const { pages = Infinity, bytes = Infinity } = this.crawl(id).settings.limits;
    const sum = this.sum(this.of(id));
    if (sum.done + sum.leased >= pages) return 'pages';
    return sum.bytes >= bytes ? 'bytes' : undefined;
  }

  spent(id: CrawlId, host: HostKey): 'host-budget' | 'site-budget' | undefined {
    const { limits } = this.crawl(id).settings;
    const own = this.sum(this.of(id, host));
    const site = this.siteSum(id, host);
    if (own.done >= (limits.hostPages ?? Infinity) || own.bytes >= (limits.hostBytes ?? Infinity))
      return 'host-budget';
    if (site.done >= (limits.sitePages ?? Infinity) || site.bytes >= (limits.siteBytes ?? Infinity))
      return 'site-budget';
    return undefined;
  }

  pagesLeft(id: CrawlId, host: HostKey): number {
    const { pages = Infinity, hostPages = Infinity, sitePages = Infinity } = this.crawl(id).settings.limits;
    const all = this.sum(this.of(id));
    const own = this.sum(this.of(id, host));
    const site = this.siteSum(id, host);
    return Math.min(
      pages - all.done - all.leased,
      hostPages - own.done - own.leased,
      sitePages - site.done - site.leased,
    );
  }

  // --- offers

  offer(id: CrawlId, offers: Offer[], referrer?: Url): OfferVerdict[] {
    return offers.map(plainBand).map((offer) => {
      const key = `${id} ${offer.url}`;
      const host = hostOf(offer.url);
      const crawl = this.crawl(id);
      if (isForgotten(crawl.forgotten, host)) {
        crawl.dropped.forgotten = (crawl.dropped.forgotten ?? 0) + 1;
        return 'forgotten';
      }
      const known = this.urls.get(key);
      if (known) {
        this.upgrade(known, offer, referrer);
        return 'known';
      }
      this.members.add(`${id} ${host}`);
      const spent = this.spent(id, host);
      if (spent) {
        crawl.dropped[spent] = (crawl.dropped[spent] ?? 0) + 1;
        return spent;
      }
      const url: ModelUrl = {
        crawl: id,
        host,
        offer,
        referrer,
        attempt: 0,
        deaths: 0,
        state: 'settled',
        place: ++this.places,
        nth: 0,
        again: false,
        items: 0,
        edges: [],
      };
      this.urls.set(key, url);
      this.host(host);
      this.enqueue([url]);
      if (crawl.state === 'finished') crawl.state = 'running';
      return 'accepted';
    });
  }

  upgrade(url: ModelUrl, offer: Offer, referrer: Url | undefined): void {
    if (!this.crawl(url.crawl).settings.upgrades || url.record?.reason === 'poison') return;
    if (offer.kind !== 'page' || rankOf(offer) <= rankOf(url.offer)) return;
    // It keeps its place as long as it has one.
    const { band: _new, ...rest } = offer;
    const kept = url.offer.band === undefined ? rest : { ...rest, band: url.offer.band };
    const isSettled = url.state === 'settled';
    Object.assign(url, { offer: isSettled ? offer : kept, referrer, again: url.state === 'leased' });
    if (isSettled) this.visitAgain(url);
  }

  /** Back to the end of the queue with fresh tries; its record goes. */
  visitAgain(url: ModelUrl): void {
    delete url.record;
    Object.assign(url, { attempt: 0, deaths: 0, items: 0, edges: [], place: ++this.places });
    this.enqueue([url]);
    const crawl = this.crawl(url.crawl);
    if (crawl.state === 'finished') crawl.state = 'running';
  }

  // --- leases

  /** When a crawl may start a request on this host. */
  clock(id: CrawlId, key: HostKey): number {
    const { notBefore, lastEnd, hold } = this.host(key);
    const gapOver = lastEnd === undefined ? 0 : lastEnd + this.crawl(id).settings.gapMs;
    return Math.max(notBefore, gapOver, hold?.heldUntil ?? 0);
  }

  due(id: CrawlId, key: HostKey): number {
    return Math.max(this.pair(id, key).ready, this.clock(id, key));
  }

  /** Has something that may be fetched, whatever the clocks and the crawl's own ceiling say. */
  hasWork(id: CrawlId, key: HostKey): boolean {
    const { sitePages = Infinity } = this.crawl(id).settings.limits;
    const site = this.siteSum(id, key);
    if (this.queue(id, key).length === 0 || this.pair(id, key).dead || this.spent(id, key)) return false;
    return site.done + site.leased < sitePages;
  }

  /** Every crawl and host that could be granted now. */
  servable(): { crawl: CrawlId; host: HostKey; due: number }[] {
    const found = [];
    for (const [crawl, { state }] of this.crawls) {
      if (state !== 'running' || this.limitedBy(crawl)) continue;
      for (const host of this.hosts.keys()) {
        const due = this.due(crawl, host);
        if (this.hasWork(crawl, host) && due <= this.now) found.push({ crawl, host, due });
      }
    }
    return found;
  }

  /** What a grant of this host must hand out; the URLs become leased. */
  grant(id: CrawlId, key: HostKey, { urls, fence }: { urls: number; fence: number }): Entry[] {
    let pages = this.pagesLeft(id, key);
    const taken: ModelUrl[] = [];
    for (const url of this.queue(id, key).slice(0, urls)) {
      // Whoever may have ended a worker is leased alone.
      if (url.deaths > 0 && taken.length > 0) break;
      if (url.offer.kind === 'page' && pages-- <= 0) break;
      taken.push(url);
      if (url.deaths > 0) break;
    }
    for (const [nth, url] of taken.entries()) Object.assign(url, { state: 'leased', nth, again: false });
    this.take(id, key, fence);
    return taken.map((url) => entryOf(url));
  }

  take(id: CrawlId, key: HostKey, fence: number): void {
    const host = this.host(key);
    if (host.hold && !host.hold.over) this.abandon(host.hold, key);
    if (host.hold) host.notBefore = Math.max(host.notBefore, host.hold.heldUntil);
    host.hold = { crawl: id, fence, over: false, begun: false, ...this.deadlines(id) };
    this.pair(id, key).turn = fence;
    this.members.add(`${id} ${key}`);
  }

  deadlines(id: CrawlId) {
    const { leaseTtlMs, maxFetchMs, gapMs } = this.crawl(id).settings;
    return { deadline: this.now + leaseTtlMs, heldUntil: this.now + leaseTtlMs + maxFetchMs + gapMs };
  }

  /**
   * Nobody will come back with this lease: the entry in hand, the first one unsettled, is charged; again only where its
   * worker had begun with it.
   */
  abandon(hold: ModelHold, key: HostKey): void {
    const leased = this.of(hold.crawl, key).filter((url) => url.state === 'leased');
    const [inHand] = leased.toSorted((a, b) => a.nth - b.nth);
    const isCharged = inHand && (inHand.deaths === 0 || hold.begun);
    if (isCharged && ++inHand.deaths >= (this.crawl(hold.crawl).settings.poisonAfter ?? Infinity))
      this.settle(inHand, unfetched(inHand, 'poison', this.now));
    this.giveBack(hold, key);
  }

  giveBack(hold: ModelHold, key: HostKey): void {
    this.enqueue(this.of(hold.crawl, key).filter((url) => url.state === 'leased'));
  }

  outlook(): Pick<GrantAnswer, 'nextDueMs' | 'limited'> {
    const limited: GrantAnswer['limited'] = [];
    let next = Infinity;
    for (const [crawl, { state }] of this.crawls) {
      if (state !== 'running') continue;
      const hosts = [...this.hosts.keys()].filter((host) => this.hasWork(crawl, host));
      const due = Math.min(...hosts.map((host) => this.due(crawl, host)));
      const by = this.limitedBy(crawl);
      if (!by) next = Math.min(next, due);
      else if (due <= this.now) limited.push({ crawl, by });
    }
    return { limited, nextDueMs: next === Infinity ? null : Math.max(0, next - this.now) };
  }

  leaseHost(id: CrawlId, key: HostKey): HostLeaseAnswer | 'granted' {
    if (isForgotten(this.crawl(id).forgotten, key))
      return { granted: false, refused: droppedReasons.forgotten };
    if (this.crawl(id).state !== 'running') return { granted: false, retryAfterMs: 1000 };
    const from = this.clock(id, key);
    return from > this.now ? { granted: false, retryAfterMs: from - this.now } : 'granted';
  }

  live(ref: { crawl: CrawlId; host: HostKey; fence: number }): ModelHold | undefined {
    const hold = this.hosts.get(ref.host)?.hold;
    const isLive = hold && !hold.over && hold.fence === ref.fence && this.now < hold.deadline;
    return isLive && hold.crawl === ref.crawl ? hold : undefined;
  }

  renew(ref: { crawl: CrawlId; host: HostKey; fence: number }): RenewAnswer {
    const hold = this.live(ref);
    if (!hold) return { ok: false };
    Object.assign(hold, this.deadlines(ref.crawl));
    return { ok: true, ttlMs: this.crawl(ref.crawl).settings.leaseTtlMs };
  }

  // --- reports

  report(report: LeaseReport): ReportAnswer {
    const hold = this.live(report);
    if (!hold) return { ok: false };
    if (report.begun) hold.begun = true;
    const answer = { ok: true as const, accepted: 0, known: 0 };
    const count = (verdicts: OfferVerdict[]) => {
      answer.accepted += verdicts.filter((verdict) => verdict === 'accepted').length;
      answer.known += verdicts.filter((verdict) => verdict === 'known').length;
    };
    for (const settlement of report.settled) {
      const url = this.urls.get(`${report.crawl} ${settlement.url}`);
      if (!url || url.state !== 'leased' || url.host !== report.host) continue;
      if (settlement.kind === 'retry') {
        url.attempt++;
        url.deaths = 0;
        url.place = ++this.places;
        this.enqueue([url]);
        continue;
      }
      this.settle(url, settlement.record);
      url.items = settlement.items.length;
      const { forgotten } = this.crawl(report.crawl);
      url.edges = edgesOf(settlement).filter((to) => !isForgotten(forgotten, hostOf(to)));
      if (url.again) this.visitAgain(url);
      const { dropped } = this.crawl(report.crawl);
      for (const [reason, n] of Object.entries(settlement.dropped) as [DroppedReason, number][]) {
        dropped[reason] = (dropped[reason] ?? 0) + n;
      }
      count(this.offer(report.crawl, settlement.offers, url.offer.url));
    }
    if (report.offers) count(this.offer(report.crawl, report.offers));
    this.news(report.crawl, report.host, report.news);
    if (report.close) {
      this.giveBack(hold, report.host);
      delete this.host(report.host).hold;
    }
    return answer;
  }

  settle(url: ModelUrl, record: PageRecord): void {
    url.state = 'settled';
    url.record = record;
    url.settledAs = ++this.settlements;
  }

  news(id: CrawlId, key: HostKey, news: HostNews): void {
    const host = this.host(key);
    const pair = this.pair(id, key);
    const { backoffMs, deadAfter } = this.crawl(id).settings;
    const delay = (until: number, why: WaitReason) => {
      if (until > host.notBefore) Object.assign(host, { notBefore: until, why });
    };
    if (news.endedAgoMs !== null) {
      const end = this.now - news.endedAgoMs;
      host.lastEnd = Math.max(host.lastEnd ?? 0, end);
      delay(end + news.gapMs, news.why);
    }
    if (news.health === 'ok') {
      for (const crawl of this.crawls.keys()) this.pair(crawl, key).troubles = 0;
    }
    if (news.health === 'trouble') {
      pair.troubles++;
      delay(this.now + Math.min(3_600_000, backoffMs * 2 ** (pair.troubles - 1)), 'backoff');
      if (pair.troubles >= deadAfter) pair.dead ??= news.reason ?? 'unreachable';
    }
  }

  // --- upkeep

  sweep(): { expired: number; settled: number; more: boolean } {
    return { expired: this.expire(), settled: this.settleDoomed(), more: false };
  }

  /** Leases past their deadline give their URLs back. Every sweep and every lease call begins with it. */
  expire(): number {
    let expired = 0;
    for (const [key, { hold }] of this.hosts) {
      if (!hold || hold.over || this.now < hold.deadline) continue;
      this.abandon(hold, key);
      hold.over = true;
      expired++;
    }
    return expired;
  }

  settleDoomed(): number {
    let settled = 0;
    for (const crawl of this.crawls.keys()) {
      for (const host of this.hosts.keys()) {
        const dead = this.pair(crawl, host).dead;
        const reason = dead ? 'host-dead' : this.spent(crawl, host);
        if (!reason) continue;
        for (const url of this.queue(crawl, host)) {
          this.settle(url, unfetched(url, reason, this.now));
          settled++;
        }
      }
    }
    return settled;
  }

  /** Of all, or of the one worker that `isDead` tells by the fences of its leases. */
  releaseAll(isDead?: (host: HostKey, fence: number) => boolean): number {
    let ended = 0;
    for (const [key, host] of this.hosts) {
      const { hold } = host;
      if (!hold || isDead?.(key, hold.fence) === false) continue;
      if (!hold.over) {
        this.abandon(hold, key);
        ended++;
      }
      const until = this.now + (this.crawls.get(hold.crawl)?.settings.gapMs ?? 0);
      // Nobody can be talking to a host any more whose hold is over by itself.
      if (this.now >= hold.heldUntil) host.notBefore = Math.max(host.notBefore, hold.heldUntil);
      else if (until > host.notBefore) Object.assign(host, { notBefore: until, why: 'gap' });
      delete host.hold;
    }
    return ended;
  }

  retry(id: CrawlId, filter: RecordFilter): number {
    const found = this.of(id)
      .filter((url) => url.record && matches(url, filter))
      .toSorted((a, b) => (a.settledAs ?? 0) - (b.settledAs ?? 0));
    for (const url of found) {
      Object.assign(this.pair(id, url.host), { dead: undefined, troubles: 0 });
      this.visitAgain(url);
    }
    return found.length;
  }

  // --- questions

  balance(id: CrawlId): Balance {
    return balanceOf(this.of(id));
  }

  totals(id: CrawlId): CrawlTotals {
    const { state, dropped } = this.crawl(id);
    return { state, dropped, ...totalsOf(this.of(id)) };
  }
}
