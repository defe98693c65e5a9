import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { groupTag } from './keys.ts';
import { offerPacked, type PackedOffer } from './offering.ts';
import { scripts } from './scripts.ts';
import type { StoreCall } from './store.ts';

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

export function outboxText(offers: PackedOffer[]): string {
  return offers.length === 0 ? '' : JSON.stringify(offers);
}

export function readOutbox(text: string): PackedOffer[] {
  return JSON.parse(text) as PackedOffer[];
}

/**
 * Delivers parcels; the verdicts of each parcel, without those that take long. What is late goes on by itself;
 * if it fails, or its primary is away, the sweep delivers it.
 */
export async function deliver(context: Context, parcels: Parcel[]): Promise<OfferVerdict[][]> {
  const verdicts: OfferVerdict[][] = parcels.map(() => []);
  const left = parcels.map(({ offers }) => offers.length);
  const arrived: Parcel[] = [];
  let over = false;
  const works = sortByPrimary(context, parcels).map(({ crawl, key, offers, owners }) => ({
    key,
    async work() {
      const answers = await offerPacked(context, crawl, offers, scripts.deliver);
      for (const [n, i] of owners.entries()) {
        verdicts[i]?.push(answers[n] as OfferVerdict);
        left[i] = (left[i] ?? 0) - 1;
      }
      const whole = [...new Set(owners)].filter((i) => left[i] === 0).map((i) => parcels[i] as Parcel);
      if (over) await acknowledge(context, whole);
      else arrived.push(...whole);
    },
  }));
  await context.shards.together(works);
  over = true;
  await acknowledge(context, arrived);
  return verdicts.map((list) => [...list]);
}

interface Route {
  /** Some key of the primary it goes to. */
  key: string;
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
      const key = groupTag(context.placeOf(offer[0]).group);
      const name = `${crawl.c} ${context.store.primaryOf(key)}`;
      const route = routes.get(name) ?? { key, crawl, offers: [], owners: [] };
      route.offers.push(offer);
      route.owners.push(i);
      routes.set(name, route);
    }
  }
  return [...routes.values()];
}

/** Taking a parcel out need not be durable: delivering it again changes nothing. */
async function acknowledge({ store, shards }: Context, parcels: Parcel[]): Promise<void> {
  const routes = new Map<string, StoreCall[]>();
  for (const { group, crawl, id } of parcels) {
    if (id === '') continue;
    const key = groupTag(group);
    const calls = routes.get(store.primaryOf(key)) ?? [];
    calls.push({ key, args: ['XDEL', `${key}${crawl.c}o`, id] });
    routes.set(store.primaryOf(key), calls);
  }
  const works = [...routes.values()].map((calls) => ({
    key: calls[0]?.key ?? '',
    work: async () => void (await store.run(calls, { durable: false })),
  }));
  await shards.together(works);
}
