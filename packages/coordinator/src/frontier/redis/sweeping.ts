import { allGroups, type Context, groupsByShard } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { deliverNow, readOutbox } from './outbox.ts';
import type { Parcel } from './context/rounds.ts';
import { asideKey, groupTag, storeTag } from '../../redis/keys.ts';
import { tellLate } from './crawl-life.ts';
import { haltHalfMoved } from './halting.ts';
import { dropLate } from '../../redis/shards.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { StoreCall } from '../../redis/store.ts';

/** After so many looks in a row that brought no news, only every fourth step looks: a crawl that waits costs little. */
const calmLooks = 3;

/** Nothing has happened for so long, neither here nor where looks see it: then there is little use in looking. */
const quietAfterMs = 5_000;
/** Steps without a look in between, as long as it is quiet. */
const quietSkips = 7;
/** While it is quiet only one in so many sweeps goes over all groups. */
const quietSweeps = 4;

/** Entries one sweep may move (F14). */
const sweepLimit = 500;

export interface SweepAnswer {
  expired: number;
  settled: number;
  more: boolean;
}

export interface Sweeping {
  /** Sweeps the groups that are looked after here, or only looks what others have brought. */
  step(): Promise<SweepAnswer>;
  /** Sweeps all groups, whoever looks after them. */
  whole(): Promise<SweepAnswer>;
}

/**
 * A look costs the store a fortieth of a sweep, so there are many looks between two sweeps. Where others look after
 * some groups, those are only looked at: as often as the own ones while somebody here asks in vain, else seldom.
 */
export function sweeper(context: Context, everyMs: number): Sweeping {
  const { clock, hints, groups } = context;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** When a sweep of all own groups last began. */
  let allSweptAtMs = Number.NEGATIVE_INFINITY;
  let newsAtMs = clock.now();
  let unfinished = true;
  let calm = 0;
  let skipped = 0;

  async function peek(): Promise<void> {
    const isCalm = calm >= calmLooks && clock.now() >= context.newsUntilMs;
    const skips = isQuiet() ? quietSkips : calmLooks;
    if (isCalm && skipped < skips) return void skipped++;
    skipped = 0;
    await stayKnown(context);
    const asked = context.crawls
      .active()
      .filter(({ c, state }) => context.served.has(c) && state === 'running');
    const seen = context.hungry ? allGroups(context) : own(context);
    const isNews = await look(context, placesOf(context, seen, asked));
    calm = isNews ? 0 : calm + 1;
    if (isNews) newsAtMs = clock.now();
    context.hungry = false;
  }

  function isQuiet(): boolean {
    // What was passed over meanwhile is made up for afterwards.
    if (context.shards.anyAway() || context.backlog?.anyFull()) newsAtMs = clock.now();
    return clock.now() - Math.max(newsAtMs, context.stirredAtMs) >= quietAfterMs;
  }

  /** Whether it is enough to sweep groups in which a lease is known to have ended. */
  function mayRest(): boolean {
    // Each lease, whoever was given it, must be heard of before it can run out.
    const shortestMs = Math.min(...context.crawls.active().map(({ settings }) => settings.leaseTtlMs));
    const restMs = Math.min(quietSweeps * everyMs, shortestMs / 2 - everyMs);
    return isQuiet() && !unfinished && clock.now() - allSweptAtMs < restMs;
  }

  async function sweepOwn(): Promise<SweepAnswer> {
    if (mayRest()) {
      const ended = new Set(hints.due([], groups.now));
      const swept = own(context).filter((group) => ended.has(group));
      return await sweep(context, swept);
    }
    context.backlog?.kick();
    const startedAtMs = clock.now();
    const answer = await sweep(context, own(context));
    allSweptAtMs = startedAtMs;
    return answer;
  }

  return {
    async step() {
      const now = clock.now();
      if (!unfinished && now - sweptAtMs < everyMs) {
        await peek();
        return { expired: 0, settled: 0, more: false };
      }
      sweptAtMs = now;
      await haltHalfMoved(context);
      const others = allGroups(context).filter((group) => context.mine?.has(group) === false);
      const isNews = await look(context, placesOf(context, others, context.crawls.active()));
      const answer = await sweepOwn();
      await tellLate(context);
      unfinished = answer.more;
      if (isNews || answer.expired + answer.settled > 0) newsAtMs = clock.now();
      return answer;
    },
    whole: () => sweep(context, allGroups(context)),
  };
}

/** Those that are looked after here. */
function own(context: Context): number[] {
  const { mine } = context;
  return mine ? allGroups(context).filter((group) => mine.has(group)) : allGroups(context);
}

/** When the first host of each crawl is due in each group. Answers whether there is any news. */
async function look({ hints, store, shards }: Context, parts: Place[][]): Promise<boolean> {
  let news = false;
  const lookAt = async (places: Place[]) => {
    const firsts = await store.run(
      places.map(({ group, crawl }) => {
        const key = groupTag(group);
        return { key, args: ['ZRANGE', `${key}${crawl.c}q`, 0, 0, 'WITHSCORES'] };
      }),
      { durable: false },
    );
    for (const [i, { group, crawl }] of places.entries()) {
      const [, due] = firsts[i] as string[];
      if (hints.hear(crawl.c, group, due === undefined ? Number.POSITIVE_INFINITY : Number(due))) news = true;
    }
  };
  await shards.together(parts.map((places) => ({ key: keyOf(places), work: () => lookAt(places) })));
  return news;
}

/** A crawl in a group. */
interface Place {
  group: number;
  crawl: StoredCrawl;
}

/** Every crawl of these in each of these groups, apart for each primary. */
function placesOf(context: Context, groups: number[], crawls: StoredCrawl[]): Place[][] {
  return groupsByShard(context, groups).map((part) =>
    part.flatMap((group) => crawls.map((crawl) => ({ group, crawl }))),
  );
}

function keyOf([first]: Place[]): string {
  return groupTag(first?.group ?? 0);
}

async function stayKnown({ crawls, served, shards }: Context): Promise<void> {
  const work = async () => {
    await crawls.refresh();
    if (served.size > 0) await crawls.sayAlive([...served]);
  };
  await shards.together([{ key: storeTag, work }]);
}

/**
 * One bounded step of upkeep over these groups: what ran out, what must settle, what lies in outboxes. Groups
 * that have much to settle share the limit; the rest follows in the next step. Groups whose primary does not
 * answer wait for a later one.
 */
async function sweep(context: Context, swept: number[]): Promise<SweepAnswer> {
  const { shards } = context;
  await stayKnown(context);
  // Whoever is still asked for is soon in it again.
  context.served.clear();
  const crawls = context.crawls.active().map(({ c }) => c);
  const ask = (groups: number[], room: number) =>
    shards.run(
      groups.map((group) => ({ group, script: scripts.sweep, args: [room, ...crawls] })),
      { skipAway: true, late: dropLate },
    );
  const total: SweepAnswer = { expired: 0, settled: 0, more: false };
  let room = sweepLimit;
  const waiting: number[] = [];
  for (const [i, answer] of (await ask(swept, 0)).entries()) {
    if (answer?.kind !== 'ok') continue;
    const [expired, moved, , more] = answer.values as number[];
    total.expired += expired ?? 0;
    room -= moved ?? 0;
    if (more === 1) waiting.push(swept[i] as number);
  }
  for (const group of waiting) {
    if (room <= 0) {
      total.more = true;
      break;
    }
    const [answer] = await ask([group], room);
    if (answer?.kind !== 'ok') continue;
    const [expired, , settled, more] = answer.values as number[];
    total.expired += expired ?? 0;
    total.settled += settled ?? 0;
    room -= settled ?? 0;
    if (more === 1) total.more = true;
  }
  await deliverLate(context, swept);
  return total;
}

/** Whoever put it there has 2 s to deliver it; then it is taken for dead. */
const lateAfterMs = 2000;
const parcelsAtOnce = 50;

async function deliverLate(context: Context, groups: number[]): Promise<void> {
  const parcels: Parcel[] = [];
  const works = placesOf(context, groups, context.crawls.active()).map((places) => ({
    key: keyOf(places),
    work: async () => void parcels.push(...(await lateParcels(context, places))),
  }));
  await context.shards.together(works);
  await deliverNow(context, parcels.splice(0));
}

async function lateParcels({ store, groups }: Context, boxes: Place[]): Promise<Parcel[]> {
  const lengths = await store.run(
    boxes.map(({ group, crawl }) => ({ key: `{g${group}}`, args: ['XLEN', `{g${group}}${crawl.c}o`] })),
    { durable: false },
  );
  const full = boxes.filter((_, i) => Number(lengths[i]) > 0);
  const found = await store.run(
    full.map(({ group, crawl }) => {
      const until = Math.floor(groups.now(group)) - lateAfterMs;
      return {
        key: `{g${group}}`,
        args: ['XRANGE', `{g${group}}${crawl.c}o`, '-', `(${until}`, 'COUNT', parcelsAtOnce],
      };
    }),
    { durable: false },
  );
  const parcels: Parcel[] = [];
  const aside: StoreCall[] = [];
  for (const [i, { group, crawl }] of full.entries()) {
    for (const [id, fields] of found[i] as [string, string[]][]) {
      // Field names stand between the texts.
      const texts = fields.filter((_, n) => n % 2 === 1).map(readOutbox);
      parcels.push({ crawl, group, id, offers: texts.flatMap(({ offers }) => offers) });
      const unreadable = texts.flatMap((text) => text.unreadable);
      if (unreadable.length > 0) aside.push(...setAside(group, `${crawl.c}o ${id}`, unreadable));
    }
  }
  await store.run(aside);
  return parcels;
}

/** Beside what scripts could not read: see `set_aside` in texts.lua. */
function setAside(group: number, name: string, texts: string[]): StoreCall[] {
  const key = groupTag(group);
  return [
    { key, args: ['HSET', asideKey(group), name, texts.join('\n').slice(0, 10_000)] },
    { key, args: ['HINCRBY', asideKey(group), '#', texts.length] },
  ];
}
