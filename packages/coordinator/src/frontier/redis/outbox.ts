import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { groupTag } from './keys.ts';
import { offerPacked, type PackedOffer } from './offering.ts';

/**
 * Links to other groups lie in the outbox of the group that reported them, from the same script as the
 * outcome on, until all their groups have them. A group that does not answer holds up nobody but its own
 * links (F10), and the outbox keeps the crawl from being finished (F9).
 */
export interface Parcel {
  crawl: StoredCrawl;
  group: number;
  /** Its place in the outbox; empty when that answer was lost, and the sweep takes it out. */
  id: string;
  offers: PackedOffer[];
}

/** How long a report waits for the groups its links go to. */
const patienceMs = 1000;

export function outboxText(offers: PackedOffer[]): string {
  return offers.length === 0 ? '' : JSON.stringify(offers);
}

export function readOutbox(text: string): PackedOffer[] {
  return JSON.parse(text) as PackedOffer[];
}

/** Delivers parcels; the verdicts of each parcel, without those that take longer than the patience. */
export async function deliver(context: Context, parcels: Parcel[]): Promise<OfferVerdict[][]> {
  const verdicts: OfferVerdict[][] = parcels.map(() => []);
  const left = parcels.map(({ offers }) => offers.length);
  const routes = sortByPrimary(context, parcels);
  const all = routes.map(async ({ crawl, offers, owners }) => {
    const answers = await offerPacked(context, crawl, offers);
    for (const [n, i] of owners.entries()) {
      verdicts[i]?.push(answers[n] as OfferVerdict);
      left[i] = (left[i] ?? 0) - 1;
    }
    await acknowledge(
      context,
      [...new Set(owners)].filter((i) => left[i] === 0).map((i) => parcels[i] as Parcel),
    );
  });
  const done = Promise.all(all);
  if (routes.length > 0) await Promise.race([done, patience(context)]);
  // What is late goes on by itself; if it fails, the sweep delivers it.
  done.catch(() => {});
  return verdicts;
}

interface Route {
  crawl: StoredCrawl;
  offers: PackedOffer[];
  /** Which parcel each offer is of. */
  owners: number[];
}

/** One route per crawl and shard, so that a stalled shard delays only what goes there. */
function sortByPrimary(context: Context, parcels: Parcel[]): Route[] {
  const routes = new Map<string, Route>();
  for (const [i, { crawl, offers }] of parcels.entries()) {
    for (const offer of offers) {
      const primary = context.store.primaryOf(groupTag(context.placeOf(offer[0]).group));
      const key = `${crawl.c} ${primary}`;
      const route = routes.get(key) ?? { crawl, offers: [], owners: [] };
      route.offers.push(offer);
      route.owners.push(i);
      routes.set(key, route);
    }
  }
  return [...routes.values()];
}

/** Taking a parcel out need not be durable: delivering it again changes nothing. */
async function acknowledge({ store }: Context, parcels: Parcel[]): Promise<void> {
  const known = parcels.filter(({ id }) => id !== '');
  const calls = known.map(({ group, crawl, id }) => {
    const key = groupTag(group);
    return { key, args: ['XDEL', `${key}${crawl.c}o`, id] };
  });
  await store.run(calls, { durable: false });
}

/** A clock that cannot sleep belongs to a test in which nothing is late. */
function patience({ clock }: Context): Promise<void> {
  return clock.sleep(patienceMs).catch(() => new Promise<void>(() => {}));
}
