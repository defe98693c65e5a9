import {
  type HostNews,
  hostOf,
  type LeaseReport,
  type Offer,
  packEdges,
  type ReportAnswer,
  type RobotsCopy,
  type Settlement,
  type Url,
} from '@webfarer/protocol';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context.ts';
import { operationId } from './operation.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { keyText } from './entry-text.ts';
import type { GroupAnswer, GroupCall } from './group-runner.ts';
import { groupTag } from './keys.ts';
import { offerArgs, offersAtOnce, packOffer, type PackedOffer } from './offering.ts';
import { deliver, outboxText, type Parcel } from './outbox.ts';
import { recordText } from './record-text.ts';
import { scripts } from './scripts.ts';

export async function reportAll(context: Context, reports: LeaseReport[]): Promise<ReportAnswer[]> {
  const crawls = await Promise.all(reports.map(({ crawl }) => context.crawls.get(crawl)));
  const drafts = reports.map((report, i) => draftOf(context, crawls[i] as StoredCrawl, report));
  const answers = await context.groups.run(drafts.map(({ call }) => call));
  await putRobots(
    context,
    reports
      .filter((_, i) => answers[i]?.kind === 'ok' || answers[i]?.kind === 'again')
      .flatMap(({ robots = [] }) => robots),
  );
  const results = answers.map(answerOf);
  for (const [i, answer] of answers.entries()) {
    const { crawl, call } = drafts[i] as Draft;
    if (answer.kind === 'ok') context.buckets.learn(crawl.c, call.group, Number(answer.values[4]));
  }
  const parcels = drafts.flatMap((draft, i) => parcelsOf(draft, answers[i] as GroupAnswer, i));
  const verdicts = await deliver(context, parcels);
  for (const [n, { report }] of parcels.entries()) count(results[report], verdicts[n] ?? []);
  return results;
}

interface Draft {
  crawl: StoredCrawl;
  call: GroupCall;
  /** Offers to other groups, part by part, in the order in which the script answers. */
  foreign: PackedOffer[][];
}

/** The arguments of the report script: see report.lua. */
function draftOf(context: Context, crawl: StoredCrawl, report: LeaseReport): Draft {
  const { host, fence, close, news, settled } = report;
  const { group } = context.placeOf(host);
  const foreign: PackedOffer[][] = [];
  let room = offersAtOnce;

  const offersArgs = (offers: Offer[], referrer?: Url): (string | number)[] => {
    const own: PackedOffer[] = [];
    const others: PackedOffer[] = [];
    for (const offer of offers) {
      const packed = packOffer(context, crawl, offer, referrer);
      // Bounded work (F16): a page with very many links sends most of them by the outbox.
      if (context.placeOf(packed[0]).group === group && room-- > 0) own.push(packed);
      else others.push(packed);
    }
    foreign.push(others);
    const args = own.length === 0 ? [] : offerArgs(own, context.buckets.get(crawl.c, group));
    return [outboxText(others), args.length, ...args];
  };

  const parts: (string | number)[][] = [];
  for (const settlement of settled) {
    if (hostOf(settlement.url) !== host) continue;
    const key = keyText(settlement.url, host);
    if (settlement.kind === 'retry') parts.push(['r', key]);
    else parts.push(['o', key, ...outcomeArgs(settlement), ...offersArgs(settlement.offers, settlement.url)]);
  }
  if (report.offers && report.offers.length > 0) parts.push(['l', ...offersArgs(report.offers)]);
  const operation = operationId();
  const head = [operation, crawl.c, host, fence, close ? 1 : 0, ...newsArgs(news), parts.length];
  return { crawl, foreign, call: { group, script: scripts.report, args: [...head, ...parts.flat()] } };
}

function outcomeArgs(settlement: Extract<Settlement, { kind: 'outcome' }>): (string | number)[] {
  const { url, record, items, edges, dropped } = settlement;
  const packed = Array.isArray(edges) ? edges.length > 0 && packEdges(url, edges) : edges.packed;
  return [
    record.verdict,
    record.reason,
    record.status ?? '',
    record.bytes,
    items.length,
    edges.length,
    recordText(record),
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

function answerOf(answer: GroupAnswer): ReportAnswer {
  if (answer.kind === 'stale') return { ok: false };
  if (answer.kind === 'busy') throw new Error('a report was answered busy');
  const [accepted, known] = answer.values as [number, number];
  return { ok: true, accepted, known };
}

function parcelsOf(draft: Draft, answer: GroupAnswer, report: number): (Parcel & { report: number })[] {
  const { crawl, call, foreign } = draft;
  const parcel = (id: string, offers: PackedOffer[]) => ({ crawl, group: call.group, id, offers, report });
  // Its answer was lost: the links are in the outbox, nobody knows where.
  if (answer.kind === 'again') return [parcel('', foreign.flat())];
  if (answer.kind !== 'ok') return [];
  const [, , applied, id] = answer.values as [number, number, string, string];
  return id === ''
    ? []
    : [
        parcel(
          id,
          foreign.flatMap((offers, n) => (applied.charAt(n) === '1' ? offers : [])),
        ),
      ];
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
