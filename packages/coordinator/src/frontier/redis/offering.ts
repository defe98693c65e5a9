import { type HostKey, hostOf, type Offer, type Url } from '@webfarer/protocol';
import type { OfferVerdict } from '../frontier.ts';
import { bucketOf } from './buckets.ts';
import type { Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { entryText } from './entry-text.ts';
import { scripts, type Step } from './scripts.ts';

/** An offer as it travels: four texts. */
export type PackedOffer = [host: HostKey, site: string, print: string, entry: string];

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
  const parts = sortByGroup(context, offers);
  const answers = await context.groups.run(
    parts.map(({ group, indexes }) => ({
      group,
      script,
      args: [
        crawl.c,
        ...offerArgs(
          indexes.map((i) => offers[i] as PackedOffer),
          context.buckets.get(crawl.c, group),
        ),
      ],
    })),
  );
  const verdicts = Array<OfferVerdict>(offers.length);
  for (const [n, answer] of answers.entries()) {
    const { group, indexes } = parts[n] as Part;
    if (answer.kind !== 'ok') throw new Error(`an offer was answered ${answer.kind}`);
    const [text, buckets] = answer.values as [string, number];
    context.buckets.learn(crawl.c, group, buckets);
    for (const [k, i] of indexes.entries()) verdicts[i] = letters[text.charAt(k)] as OfferVerdict;
  }
  return verdicts;
}

interface Part {
  group: number;
  indexes: number[];
}

/** By group and in it by host, each in their order; bounded parts. */
function sortByGroup({ placeOf }: Context, offers: PackedOffer[]): Part[] {
  const groups = new Map<number, Map<HostKey, number[]>>();
  for (const [i, [host]] of offers.entries()) {
    const { group } = placeOf(host);
    let hosts = groups.get(group);
    if (!hosts) groups.set(group, (hosts = new Map<HostKey, number[]>()));
    const list = hosts.get(host);
    if (list) list.push(i);
    else hosts.set(host, [i]);
  }
  const parts: Part[] = [];
  for (const [group, hosts] of groups) {
    const all = [...hosts.values()].flat();
    for (let at = 0; at < all.length; at += offersAtOnce)
      parts.push({ group, indexes: all.slice(at, at + offersAtOnce) });
  }
  return parts;
}
