import type {
  HostKey,
  HostNews,
  LeaseReport,
  Offer,
  ReportAnswer,
  RobotsCopy,
  Settlement,
  Url,
} from '@webfarer/protocol';
import { packEdges } from '@webfarer/protocol/link';
import { hostOf } from '@webfarer/protocol/url';
import { requireEpoch } from '../epochs.ts';
import { countDropped, reportOfOthers } from './barring.ts';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { operationId } from '../../redis/client/operation.ts';
import { epochOf } from './context/crawl-registry.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { keyText } from './context/entry-text.ts';
import type { GroupCall } from '../../redis/group-runner.ts';
import { groupTag } from '../../redis/keys.ts';
import { offerArgs, offersAtOnce, packOffer } from './offering.ts';
import { deliver, outboxText } from './outbox.ts';
import type { PackedOffer, Parcel } from './context/rounds.ts';
import { recordText } from './context/record-text.ts';
import { scripts } from '../../redis/client/scripts.ts';

export async function reportAll(context: Context, reports: LeaseReport[]): Promise<ReportAnswer[]> {
  const crawls = await Promise.all(reports.map(({ crawl }) => context.crawls.look(crawl)));
  if (crawls.includes(undefined)) return await reportLive(context, reports, crawls);
  const within = epochFor(context, reports);
  const told = reports.map((report, i) => reportOfOthers(crawls[i] as StoredCrawl, report));
  const drafts = told.map((report, i) => draftOf(context, crawls[i] as StoredCrawl, report));
  const said = await sendAll(context, drafts, within);
  await putRobots(
    context,
    told.filter((_, i) => said[i]?.kind !== 'STALE').flatMap(({ robots = [] }) => robots),
  );
  for (const [i, { offers = [] }] of reports.entries())
    if (said[i]?.kind === 'OK') await countDropped(context, crawls[i] as StoredCrawl, offers);
  const results = said.map(answerOf);
  const parcels = drafts.flatMap((draft, i) => parcelsOf(draft, said[i] as Said, i));
  const verdicts = await deliver(context, parcels);
  for (const [n, { report }] of parcels.entries()) count(results[report], verdicts[n] ?? []);
  return results;
}

/** A report about a crawl that was deleted is too late, like one about a lease that ran out. */
async function reportLive(
  context: Context,
  reports: LeaseReport[],
  crawls: (StoredCrawl | undefined)[],
): Promise<ReportAnswer[]> {
  const live = reports.filter((_, i) => crawls[i]);
  const [answers] = await Promise.all([
    reportAll(context, live),
    giveBack(
      context,
      reports.filter((report, i) => !crawls[i] && report.close),
    ),
  ]);
  return crawls.map((crawl) => (crawl && answers.shift()) ?? { ok: false });
}

/** No crawl has this number. */
const noCrawl = '0';

/** Hosts that were leased to a deleted crawl are free for others as soon as its workers have let go of them. */
async function giveBack(context: Context, reports: LeaseReport[]): Promise<void> {
  const calls = reports.map(({ host, fence, news }) => {
    const { group, site } = context.placeOf(host);
    const args = [noCrawl, 1, host, site, operationId(), fence, 1, ...newsArgs(news), 0];
    return { group, script: scripts.report, args };
  });
  await context.groups.run(calls);
}

/**
 * Links that were left out are known in this epoch of the store: the reports count in it, or not at all. Whole ones
 * may be carried out in any.
 */
function epochFor({ store, crawls }: Context, reports: LeaseReport[]): string | undefined {
  requireEpoch(reports, (id) => {
    const crawl = crawls.find(id);
    return crawl && epochOf(store, crawl);
  });
  return reports.some(({ trimmedIn }) => trimmedIn !== undefined) ? store.epoch() : undefined;
}

/** Reports that one call may carry, and parts of reports beside the offers (F16). */
const reportsAtOnce = 16;
const partsAtOnce = 200;

interface Draft {
  crawl: StoredCrawl;
  group: number;
  host: HostKey;
  args: (string | number)[];
  parts: number;
  /** How many offers are for the own group. */
  own: number;
  /** Offers to other groups, part by part, in the order in which the script answers. */
  foreign: PackedOffer[][];
}

/** What the script answers about one report. */
interface Said {
  kind: 'OK' | 'AGAIN' | 'STALE';
  accepted: number;
  known: number;
  applied: string;
  parcel: string;
}

/** Reports about hosts of one group go together, in their order and as far as a call may carry them. */
async function sendAll(context: Context, drafts: Draft[], within: string | undefined): Promise<Said[]> {
  const calls = gather(drafts);
  const sent = calls.map((indexes) => callOf(context, drafts, indexes));
  const answers = await context.groups.run(sent, { within });
  const said = Array<Said>(drafts.length);
  for (const [n, answer] of answers.entries()) {
    const indexes = calls[n] as number[];
    const { crawl, group } = drafts[indexes[0] as number] as Draft;
    if (answer.kind !== 'ok') throw new Error(`a report was answered ${answer.kind}`);
    const [buckets, list] = answer.values as [number, [Said['kind'], number, number, string, string][]];
    context.buckets.learn(crawl.c, group, buckets);
    for (const [k, [kind, accepted, known, applied, parcel]] of list.entries())
      said[indexes[k] as number] = { kind, accepted, known, applied, parcel };
  }
  return said;
}

function gather(drafts: Draft[]): number[][] {
  const open = new Map<string, { indexes: number[]; own: number; parts: number }>();
  const calls: number[][] = [];
  for (const [i, { crawl, group, own, parts }] of drafts.entries()) {
    const key = `${crawl.c} ${group}`;
    let call = open.get(key);
    const isFull =
      call &&
      (call.indexes.length >= reportsAtOnce ||
        call.own + own > offersAtOnce ||
        call.parts + parts > partsAtOnce);
    if (!call || isFull) {
      call = { indexes: [], own: 0, parts: 0 };
      open.set(key, call);
      calls.push(call.indexes);
    }
    call.indexes.push(i);
    call.own += own;
    call.parts += parts;
  }
  return calls;
}

function callOf(context: Context, drafts: Draft[], indexes: number[]): GroupCall {
  const all = indexes.map((i) => drafts[i] as Draft);
  const { crawl, group } = all[0] as Draft;
  const args: (string | number)[] = [crawl.c, all.length];
  for (const { host } of all) args.push(host, context.placeOf(host).site);
  for (const draft of all) for (const arg of draft.args) args.push(arg);
  return { group, script: scripts.report, args };
}

/** The arguments of one report: see report.lua. */
function draftOf(context: Context, crawl: StoredCrawl, report: LeaseReport): Draft {
  const { host, fence, close, news, settled } = report;
  const { group } = context.placeOf(host);
  const foreign: PackedOffer[][] = [];
  let room = offersAtOnce;
  const args = [operationId(), fence, close ? 1 : report.begun ? 2 : 0, ...newsArgs(news), 0];
  const partsAt = args.length - 1;
  let parts = 0;

  const addOffers = (offers: Offer[], referrer?: Url): void => {
    const own: PackedOffer[] = [];
    const others: PackedOffer[] = [];
    for (const offer of offers) {
      const packed = packOffer(context, crawl, offer, referrer);
      // Bounded work (F16): a page with very many links sends most of them by the outbox.
      if (context.placeOf(packed[0]).group === group && room > 0) {
        own.push(packed);
        room--;
      } else others.push(packed);
    }
    foreign.push(others);
    const offerWords = own.length === 0 ? [] : offerArgs(own, context.buckets.get(crawl.c, group));
    args.push(outboxText(others), offerWords.length, ...offerWords);
  };

  for (const settlement of settled) {
    if (hostOf(settlement.url) !== host) continue;
    const key = keyText(settlement.url, host);
    parts++;
    if (settlement.kind === 'retry') args.push('r', key);
    else if (isPlain(settlement)) args.push('p', key, ...recordArgs(settlement));
    else {
      args.push('o', key, ...recordArgs(settlement), ...yieldArgs(settlement));
      addOffers(settlement.offers, settlement.url);
    }
  }
  if (report.offers && report.offers.length > 0) {
    parts++;
    args.push('l');
    addOffers(report.offers);
  }
  args[partsAt] = parts;
  return { crawl, group, host, args, parts, own: offersAtOnce - room, foreign };
}

type Outcome = Extract<Settlement, { kind: 'outcome' }>;

/** It yielded nothing that has to be stored beside its record. */
function isPlain({ items, edges, offers, dropped }: Outcome): boolean {
  return items.length + edges.length + offers.length === 0 && Object.keys(dropped).length === 0;
}

function recordArgs({ record }: Outcome): (string | number)[] {
  const { verdict, reason, status = '', bytes } = record;
  return [`${verdict} ${reason} ${status}`, bytes, recordText(record)];
}

function yieldArgs({ url, items, edges, dropped }: Outcome): (string | number)[] {
  const packed = Array.isArray(edges) ? edges.length > 0 && packEdges(url, edges) : edges.packed;
  return [
    items.length,
    edges.length,
    items.length === 0 ? '' : JSON.stringify(items.map((item) => item ?? null)),
    packed ? Buffer.from(packed).toString('base64') : '',
    Object.entries(dropped)
      .map(([reason, n]) => `${reason}=${n}`)
      .join(' '),
  ];
}

function newsArgs({ endedAgoMs, gapMs, why, health, reason }: HostNews): (string | number)[] {
  return [endedAgoMs ?? '', gapMs, why, health, reason ?? ''];
}

function answerOf({ kind, accepted, known }: Said): ReportAnswer {
  return kind === 'STALE' ? { ok: false } : { ok: true, accepted, known };
}

function parcelsOf(draft: Draft, { kind, applied, parcel: id }: Said, report: number) {
  const { crawl, group, foreign } = draft;
  const parcel = (offers: PackedOffer[]): (Parcel & { report: number })[] => [
    { crawl, group, id, offers, report },
  ];
  // Its answer was lost: the links are in the outbox, nobody knows where.
  if (kind === 'AGAIN') return parcel(foreign.flat());
  if (id === '') return [];
  return parcel(foreign.flatMap((offers, n) => (applied.charAt(n) === '1' ? offers : [])));
}

function count(answer: ReportAnswer | undefined, verdicts: OfferVerdict[]): void {
  if (!answer?.ok) return;
  for (const verdict of verdicts) {
    if (verdict === 'accepted' || verdict === 'known') answer[verdict]++;
  }
}

/** A copy is of no use after 24 h; the store forgets it a day later. */
const robotsKeptSeconds = 48 * 3600;

/** A copy whose group does not answer is fetched again some day. */
async function putRobots({ store, shards, placeOf }: Context, copies: RobotsCopy[]): Promise<void> {
  const works = copies.map((copy) => {
    const key = groupTag(placeOf(hostOf(`${copy.origin}/` as Url)).group);
    const args = ['SET', `${key}rb:${copy.origin}`, JSON.stringify(copy), 'EX', robotsKeptSeconds];
    return { key, work: async () => void (await store.run([{ key, args }])) };
  });
  await shards.together(works);
}
