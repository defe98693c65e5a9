import type { LeaseReport, Offer, Settlement } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { groupTag } from '../../redis/keys.ts';
import { linksToOthers, withoutAll } from '../forgetting.ts';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { enter } from './entering.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { offerTogether } from './gathering.ts';

/** Offers without those of hosts that the crawl has forgotten, which are counted and dropped. */
export async function offerOthers(
  context: Context,
  crawl: StoredCrawl,
  offers: readonly Offer[],
): Promise<OfferVerdict[]> {
  const { barred } = crawl;
  if (!barred) return await offerTogether(context, crawl, offers);
  const others = offers.filter(({ url }) => !barred.host(hostOf(url)));
  const verdicts = await offerTogether(context, crawl, others);
  await countDropped(context, crawl, offers);
  return offers.map(({ url }) =>
    barred.host(hostOf(url)) ? 'forgotten' : (verdicts.shift() as OfferVerdict),
  );
}

/** Counts those of the offers that are of forgotten hosts. */
export async function countDropped(
  context: Context,
  crawl: StoredCrawl,
  offers: readonly Offer[],
): Promise<void> {
  const { barred, c } = crawl;
  if (!barred) return;
  const groups = offers
    .map(({ url }) => hostOf(url))
    .filter(barred.host)
    .map((host) => context.placeOf(host).group);
  if (groups.length === 0) return;
  await enter(context, crawl, groups);
  await context.store.run(
    groups.map((group) => {
      const key = groupTag(group);
      return { key, args: ['HINCRBY', `${key}${c}c`, 'd:forgotten', 1] };
    }),
  );
}

/**
 * A report that names no host that the crawl has forgotten. Links of its pages that lead there are counted in it; offers of
 * its own are not.
 */
export function reportOfOthers({ barred }: StoredCrawl, report: LeaseReport): LeaseReport {
  if (!barred) return report;
  const { offers, robots } = report;
  const isOther = ({ url }: Offer) => !barred.host(hostOf(url));
  const settled = report.settled.map((settlement): Settlement => {
    if (settlement.kind !== 'outcome') return settlement;
    const { url, record, edges, dropped } = settlement;
    const kept = settlement.offers.filter(isOther);
    const gone = settlement.offers.length - kept.length;
    return {
      ...settlement,
      record: withoutAll(record, barred.matches),
      edges: linksToOthers(url, edges, barred.matches),
      offers: kept,
      dropped: gone === 0 ? dropped : { ...dropped, forgotten: (dropped.forgotten ?? 0) + gone },
    };
  });
  const isOthers = ({ origin }: { origin: string }) => !barred.matches.some((match) => match.url(origin));
  return {
    ...report,
    settled,
    ...(offers ? { offers: offers.filter(isOther) } : {}),
    ...(robots ? { robots: robots.filter(isOthers) } : {}),
  };
}
