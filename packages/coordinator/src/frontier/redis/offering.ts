import { type HostKey, hostOf, type Offer, type Url } from '@webfarer/protocol';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { entryText } from './entry-text.ts';
import { scripts } from './scripts.ts';

/** An offer as scripts take it: four texts. */
export type PackedOffer = [host: HostKey, site: string, print: string, entry: string];

/** Offers of one script (F16). */
export const offersAtOnce = 500;

export function packOffer(context: Context, crawl: StoredCrawl, offer: Offer, referrer?: Url): PackedOffer {
  const host = hostOf(offer.url);
  return [host, context.placeOf(host).site, crawl.print(offer.url), entryText(offer, host, referrer)];
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
): Promise<OfferVerdict[]> {
  const byGroup = new Map<number, number[]>();
  for (const [i, [host]] of offers.entries()) {
    const { group } = context.placeOf(host);
    const list = byGroup.get(group);
    if (list) list.push(i);
    else byGroup.set(group, [i]);
  }
  const parts: { group: number; indexes: number[] }[] = [];
  for (const [group, indexes] of byGroup) {
    for (let at = 0; at < indexes.length; at += offersAtOnce)
      parts.push({ group, indexes: indexes.slice(at, at + offersAtOnce) });
  }
  const answers = await context.groups.run(
    parts.map(({ group, indexes }) => ({
      group,
      script: scripts.offer,
      args: [crawl.c, ...indexes.flatMap((i) => offers[i] as PackedOffer)],
    })),
  );
  const verdicts = Array<OfferVerdict>(offers.length);
  for (const [n, answer] of answers.entries()) {
    if (answer.kind !== 'ok') throw new Error(`an offer was answered ${answer.kind}`);
    const [text] = answer.values as [string];
    for (const [k, i] of (parts[n]?.indexes ?? []).entries())
      verdicts[i] = letters[text.charAt(k)] as OfferVerdict;
  }
  return verdicts;
}
