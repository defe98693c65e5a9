import { isHostKey } from '@webfarer/protocol/url';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { enterInTime, type Entry } from './entering.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { isEntryText } from './context/entry-text.ts';
import { groupTag } from '../../redis/keys.ts';
import { offerPacked } from './offering.ts';
import type { DeliveryRounds, PackedOffer, Parcel } from './context/rounds.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { StoreCall } from '../../redis/store.ts';

export function outboxText(offers: PackedOffer[]): string {
  return offers.length === 0 ? '' : JSON.stringify(offers);
}

/** Without what is not an offer: a text that nobody can deliver would keep the crawl open for ever. */
export function readOutbox(text: string): { offers: PackedOffer[]; unreadable: string[] } {
  const list = parsedList(text);
  if (!list) return { offers: [], unreadable: [text] };
  const offers = list.filter(isOffer);
  const unreadable = list.filter((one) => !isOffer(one)).map((one) => JSON.stringify(one));
  return { offers, unreadable };
}

function parsedList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isOffer(value: unknown): value is PackedOffer {
  if (!Array.isArray(value) || value.length !== 4 || !value.every((part) => typeof part === 'string'))
    return false;
  const [host, , print, entry] = value as PackedOffer;
  return isHostKey(host) && /^-?\d+$/.test(print) && isEntryText(entry);
}

/**
 * Delivers parcels; the verdicts of each parcel, without those that take long. What comes while a round is under
 * way goes out as the next one, whoever reported it: links of many pages to one group are then one call.
 */
export async function deliver(context: Context, parcels: Parcel[]): Promise<OfferVerdict[][]> {
  if (parcels.length === 0) return [];
  const { deliveryRounds: rounds } = context;
  return await new Promise((done, failed) => {
    rounds.waiting.push({ parcels, done, failed });
    if (!rounds.going) void goRound(context, rounds);
  });
}

async function goRound(context: Context, rounds: DeliveryRounds): Promise<void> {
  rounds.going = true;
  while (rounds.waiting.length > 0) {
    const all = rounds.waiting.splice(0);
    try {
      const verdicts = await deliverNow(
        context,
        all.flatMap(({ parcels }) => parcels),
      );
      for (const { parcels, done } of all) done(verdicts.splice(0, parcels.length));
    } catch (error) {
      for (const { failed } of all) failed(error);
    }
  }
  rounds.going = false;
}

/** What is late goes on by itself; if it fails, or its primary is away, the sweep delivers it. */
export async function deliverNow(context: Context, parcels: Parcel[]): Promise<OfferVerdict[][]> {
  let { routes, missing } = sortByPrimary(context, parcels);
  if (missing.size > 0) {
    await enterInTime(context, [...missing.values()]);
    ({ routes } = sortByPrimary(context, parcels));
  }
  const verdicts: OfferVerdict[][] = parcels.map(() => []);
  const left = parcels.map(({ offers }) => offers.length);
  // Of some nothing could be read: there is nothing to wait for.
  const arrived = parcels.filter(({ offers }) => offers.length === 0);
  let over = false;
  const works = routes.map(({ crawl, key, offers, owners }) => ({
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

/**
 * One route per crawl and shard, so that a stalled shard delays only what goes there; and the groups that the crawls have not come
 * into so far. What goes to these has no route, and stays in the outbox.
 */
function sortByPrimary(
  context: Context,
  parcels: readonly Parcel[],
): { routes: Route[]; missing: Map<string, Entry> } {
  const routes = new Map<string, Route>();
  const missing = new Map<string, Entry>();
  for (const [i, { crawl, offers }] of parcels.entries()) {
    for (const offer of offers) {
      const { group } = context.placeOf(offer[0]);
      if (!crawl.groups.has(group)) {
        const entry = missing.get(crawl.c) ?? { crawl, groups: new Set() };
        entry.groups.add(group);
        missing.set(crawl.c, entry);
        continue;
      }
      const key = groupTag(group);
      const name = `${crawl.c} ${context.store.primaryOf(key)}`;
      const route = routes.get(name) ?? { key, crawl, offers: [], owners: [] };
      route.offers.push(offer);
      route.owners.push(i);
      routes.set(name, route);
    }
  }
  return { routes: [...routes.values()], missing };
}

/** Taking a parcel out need not be durable: delivering it again changes nothing. */
async function acknowledge({ store, shards }: Context, parcels: Parcel[]): Promise<void> {
  const boxes = new Map<string, StoreCall>();
  for (const { group, crawl, id } of parcels) {
    if (id === '') continue;
    const key = groupTag(group);
    const box = `${key}${crawl.c}o`;
    const call = boxes.get(box) ?? { key, args: ['XDEL', box] };
    call.args.push(id);
    boxes.set(box, call);
  }
  const routes = new Map<string, StoreCall[]>();
  for (const call of boxes.values()) {
    const primary = store.primaryOf(call.key);
    routes.set(primary, [...(routes.get(primary) ?? []), call]);
  }
  const works = [...routes.values()].map((calls) => ({
    key: calls[0]?.key ?? '',
    work: async () => void (await store.run(calls, { durable: false })),
  }));
  await shards.together(works);
}
