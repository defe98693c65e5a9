import type { HostNews, LeaseReport, ReportAnswer, Url } from '@webfarer/protocol';
import type { OfferVerdict } from '../frontier.ts';
import { bandOf, type EntryRow, joinUrl, kindOf, placeIn } from './rows/entries.ts';
import type { HostRow, PairRow } from './rows/host-state.ts';
import { free, type LiveLease, liveLease } from './leasing.ts';
import { changeLeased, changeQueued } from './moving.ts';
import { offerAll } from './offering.ts';
import { settleLeased, storeYield, takeLinks } from './settling.ts';
import type { Store } from './store.ts';

/** Takes what a page yielded. Runs in the outcome's transaction; only a proof may put it off (see `Later`). */
export type Later = (work: () => void) => void;

export function reportOne(store: Store, report: LeaseReport, later?: Later): ReportAnswer {
  const live = liveLease(store, report);
  if (!live) return { ok: false };
  const { host, crawl } = live;
  const pair = store.hosts.ensurePair(host, crawl);
  const answer = { ok: true as const, accepted: 0, known: 0 };
  const count = (verdicts: OfferVerdict[]) => {
    for (const verdict of verdicts) {
      if (verdict === 'accepted' || verdict === 'known') answer[verdict]++;
    }
  };
  for (const copy of report.robots ?? [])
    if (!crawl.barred?.matches.some((match) => match.url(copy.origin))) store.robots.put(copy);
  const open = openEntries(store, live);
  for (const settlement of report.settled) {
    const row = open.get(settlement.url);
    if (!row) continue;
    open.delete(settlement.url);
    if (settlement.kind === 'retry') {
      putBack(store, pair, row, { attempt: (row.attempt ?? 0) + 1 });
      continue;
    }
    if (live.hold.again.has(row.id)) {
      putBack(store, pair, row, { attempt: 0 });
      count(takeLinks(store, crawl, settlement, row.id));
      continue;
    }
    const recordId = settleLeased(store, pair, row, settlement.record);
    const yielded = { outcome: settlement, recordId, entryId: row.id };
    if (later) later(() => void storeYield(store, pair, yielded));
    else count(storeYield(store, pair, yielded));
  }
  if (report.offers) count(offerAll(store, crawl, { offers: report.offers, parent: null }));
  live.hold.entries = [...open.values()].map((row) => row.id);
  takeNews(store, pair, report.news);
  if (report.begun) live.hold.begun = true;
  if (report.close) free(store, live.hold);
  else keep(store, live);
  store.hosts.touch(host);
  crawl.dirty = true;
  return answer;
}

function keep(store: Store, { host, hold }: LiveLease): void {
  store.hosts.holds.put(hold);
  if (host.notBefore > hold.heldUntil) store.claims.postpone(host, store.clock.now());
}

/** The unsettled entries of a lease by URL. Whatever is not among them was settled before, or never leased. */
function openEntries(store: Store, { host, hold }: LiveLease): Map<Url, EntryRow> {
  if (hold.open) return hold.open;
  hold.open = new Map();
  for (const id of hold.entries) {
    const row = store.entries.get(id);
    if (row) hold.open.set(joinUrl(row.bits, host.key, row.rest), row);
  }
  return hold.open;
}

/** Back to the end of its band of the host's queue, with this many tries charged. */
// oxlint-disable-next-line max-params -- called for every try
function putBack(store: Store, pair: PairRow, row: EntryRow, { attempt }: { attempt: number }): void {
  const kind = kindOf(row.bits);
  const ord = placeIn(bandOf(row.ord), store.entries.nextId());
  store.queue.remove({ pair: pair.id, kind, ord: row.ord ?? row.id, entry: row.id });
  store.queue.push({ pair: pair.id, kind, ord, entry: row.id });
  store.entries.requeue(row.id, attempt, ord);
  changeLeased(store, pair, { count: -1, pages: kind === 'page' ? -1 : 0 });
  changeQueued(store, pair, 1);
}

/** Longest back-off after a trouble, however many there were. */
const longestBackoffMs = 3_600_000;

function takeNews(store: Store, pair: PairRow, news: HostNews): void {
  const { host, crawl } = pair;
  const now = store.clock.now();
  if (news.endedAgoMs !== null) {
    const end = now - news.endedAgoMs;
    host.lastEnd = Math.max(host.lastEnd, end);
    host.dirty = true;
    delay(host, end + news.gapMs, news.why);
  }
  if (news.health === 'ok') {
    for (const other of host.pairs) other.troubles = 0;
  } else if (news.health === 'trouble') {
    pair.troubles++;
    const backoffMs = crawl.settings.backoffMs * 2 ** (pair.troubles - 1);
    delay(host, now + Math.min(longestBackoffMs, backoffMs), 'backoff');
    if (pair.troubles >= crawl.settings.deadAfter) pair.dead ??= news.reason ?? 'unreachable';
  }
}

/** `notBefore` only grows. */
export function delay(host: HostRow, until: number, why: HostNews['why']): void {
  if (until <= host.notBefore) return;
  host.notBefore = until;
  host.why = why;
  host.dirty = true;
}
