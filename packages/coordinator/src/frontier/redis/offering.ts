import type { Offer, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { OfferVerdict } from '../frontier.ts';
import { bucketOf } from './context/buckets.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { entryText } from './context/entry-text.ts';
import type { GroupAnswer, GroupCall } from '../../redis/group-runner.ts';
import type { PackedOffer } from './context/rounds.ts';
import type { HostPlace } from '../../redis/keys.ts';
import { scripts, type Step } from '../../redis/client/scripts.ts';

/** Offers of one script (F16). */
export const offersAtOnce = 500;

export function packOffer(context: Context, crawl: StoredCrawl, offer: Offer, referrer?: Url): PackedOffer {
  const host = hostOf(offer.url);
  return [host, context.placeOf(host).site, crawl.print(offer.url), entryText(offer, host, referrer)];
}

/** The arguments of offers to one group, host by host: see `offer_all` in seen.lua. */
export function offerArgs(offers: readonly PackedOffer[], buckets: number): (string | number)[] {
  const level = 2 ** Math.floor(Math.log2(buckets));
  const args: (string | number)[] = [buckets, 0];
  let runs = 0;
  for (let i = 0; i < offers.length; ) {
    const [host, site] = offers[i] as PackedOffer;
    const head = args.push(host, site, 0) - 1;
    let count = 0;
    for (; i < offers.length && offers[i]?.[0] === host; i++, count++) {
      const [, , print, entry] = offers[i] as PackedOffer;
      args.push(bucketOf(print, buckets, level), print, entry);
    }
    args[head] = count;
    runs++;
  }
  args[1] = runs;
  return args;
}

const letters: Record<string, OfferVerdict> = {
  a: 'accepted',
  k: 'known',
  h: 'host-budget',
  s: 'site-budget',
};

/** Offers to any groups; the verdicts in the order of the offers. */
export async function offerPacked(
  context: Context,
  crawl: StoredCrawl,
  offers: PackedOffer[],
  script: Step = scripts.offer,
): Promise<OfferVerdict[]> {
  const parts = partsOf(offers.map(([host]) => context.placeOf(host)));
  const calls = parts.map(({ group, indexes }) => {
    const own = indexes.map((i) => offers[i] as PackedOffer);
    return offerCall(context, crawl, { group, offers: own, script });
  });
  const verdicts = Array<OfferVerdict>(offers.length);
  for (const [n, answer] of (await context.groups.run(calls)).entries())
    takeVerdicts(context, crawl, { part: parts[n] as Part, answer, verdicts });
  return verdicts;
}

interface GroupOffers {
  group: number;
  offers: PackedOffer[];
  script: Step;
}

export function offerCall(
  { buckets }: Context,
  { c }: StoredCrawl,
  { group, offers, script }: GroupOffers,
): GroupCall {
  const args = offerArgs(offers, buckets.get(c, group));
  args.unshift(c);
  return { group, script, args };
}

interface Answered {
  part: Part;
  answer: GroupAnswer;
  /** Where they are put, by the places of the offers. */
  verdicts: OfferVerdict[];
}

export function takeVerdicts(
  { buckets }: Context,
  { c }: StoredCrawl,
  { part, answer, verdicts }: Answered,
): void {
  if (answer.kind !== 'ok') throw new Error(`an offer was answered ${answer.kind}`);
  const [text, count] = answer.values as [string, number];
  buckets.learn(c, part.group, count);
  for (const [k, i] of part.indexes.entries()) verdicts[i] = letters[text.charAt(k)] as OfferVerdict;
}

/** Offers to one group, as many as a call may carry. */
export interface Part {
  group: number;
  indexes: number[];
}

/** By group and in it by host, each in their order; bounded parts. Each host has a place of its own. */
export function partsOf(places: HostPlace[]): Part[] {
  const groups = new Map<number, Map<HostPlace, number[]>>();
  for (const [i, place] of places.entries()) {
    let hosts = groups.get(place.group);
    if (!hosts) groups.set(place.group, (hosts = new Map<HostPlace, number[]>()));
    const list = hosts.get(place);
    if (list) list.push(i);
    else hosts.set(place, [i]);
  }
  const parts: Part[] = [];
  for (const [group, hosts] of groups) {
    const all = [...hosts.values()].flat();
    for (let at = 0; at < all.length; at += offersAtOnce)
      parts.push({ group, indexes: all.slice(at, at + offersAtOnce) });
  }
  return parts;
}
