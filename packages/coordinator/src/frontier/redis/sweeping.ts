import type { Context } from './context/context.ts';
import { findEntered } from './entering.ts';
import { deliverNow, readOutbox } from './outbox.ts';
import { type GroupVisits, groupVisits } from './context/group-visits.ts';
import {
  byShard,
  changedOrSingle,
  changedPlaces,
  each,
  keyOf,
  type Place,
  type Places,
  placesOf,
  visited,
} from './context/places.ts';
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
 * There are many looks between two sweeps. Where others look after some groups, those are only looked at: as often as the own ones
 * while a worker here asks in vain, else seldom. Both ask each group by one command whether it has changed, and pass over it if not.
 */
export function sweeper(context: Context, everyMs: number): Sweeping {
  const { clock, store } = context;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** When a sweep of all own groups last began. */
  let allSweptAtMs = Number.NEGATIVE_INFINITY;
  let newsAtMs = clock.now();
  let unfinished = true;
  let calm = 0;
  let skipped = 0;
  const sweeps = groupVisits(clock);
  /** Apart, because they ask about other crawls. */
  const looks = groupVisits(clock);
  const looksAtOthers = groupVisits(clock);
  let knownFor = '';

  /** What was visited is known for the groups that are looked after here, in an epoch of the store. */
  function forgetOthers(): void {
    const now = `${store.epoch()} ${context.minded}`;
    if (now === knownFor) return;
    knownFor = now;
    for (const visits of [sweeps, looks, looksAtOthers]) visits.forget();
  }

  async function peek(): Promise<void> {
    forgetOthers();
    const isCalm = calm >= calmLooks && clock.now() >= context.newsUntilMs;
    const skips = isQuiet() ? quietSkips : calmLooks;
    if (isCalm && skipped < skips) return void skipped++;
    skipped = 0;
    await stayKnown(context);
    const asked = context.crawls
      .active()
      .filter(({ c, state }) => context.served.has(c) && state === 'running');
    const isSeen = (group: number) => context.hungry || isOwn(context, group);
    const isNews = await look(context, looks, placesOf(asked, isSeen));
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
    await prepare(context);
    const isMeant = (group: number) => isOwn(context, group);
    if (mayRest()) return (await sweep(context, endedPlaces(context, isMeant))).answer;
    context.backlog?.kick();
    const startedAtMs = clock.now();
    const places = await changedIn(context, sweeps, isMeant);
    const { answer, left } = await sweep(context, places);
    visited(sweeps, places, (group) => left.has(group));
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
      forgetOthers();
      await haltHalfMoved(context);
      const isOthers = (group: number) => !isOwn(context, group);
      const isNews = await look(context, looksAtOthers, placesOf(context.crawls.active(), isOthers));
      const answer = await sweepOwn();
      await tellLate(context);
      unfinished = answer.more;
      if (isNews || answer.expired + answer.settled > 0) newsAtMs = clock.now();
      return answer;
    },
    async whole() {
      await prepare(context);
      const all = placesOf(context.crawls.active(), () => true);
      for (const [group, here] of endedPlaces(context, () => true)) all.set(group, here);
      return (await sweep(context, all)).answer;
    },
  };
}

/** From now on this process looks after these groups; undefined: all. */
export function lookAfter(context: Context, mine: ReadonlySet<number> | undefined): void {
  const before = context.mine;
  const isSame =
    mine === before ||
    (mine?.size === before?.size && [...(mine ?? [])].every((group) => before?.has(group)));
  if (isSame) return;
  // Nobody here knows yet what runs out in those that are new.
  context.stirredAtMs = context.clock.now();
  context.mine = mine;
  context.minded++;
}

/** It is looked after here. */
function isOwn({ mine }: Context, group: number): boolean {
  return mine?.has(group) ?? true;
}

/** When the first host of each crawl is due in each group that has changed. Answers whether there is any news. */
async function look(context: Context, visits: GroupVisits, places: Places): Promise<boolean> {
  const { hints, store, shards } = context;
  let news = false;
  const lookAt = async (part: Places) => {
    const found = each(part);
    const firsts = await store.run(
      found.map(({ group, crawl }) => {
        const key = groupTag(group);
        return { key, args: ['ZRANGE', `${key}${crawl.c}q`, 0, 0, 'WITHSCORES'] };
      }),
      { durable: false },
    );
    for (const [i, { group, crawl }] of found.entries()) {
      const [, due] = firsts[i] as string[];
      if (hints.hear(crawl.c, group, due === undefined ? Number.POSITIVE_INFINITY : Number(due))) news = true;
    }
    visited(visits, part, () => false);
  };
  const parts = byShard(context, await changedOrSingle(context, visits, places));
  await shards.together(parts.map((part) => ({ key: keyOf(part), work: () => lookAt(part) })));
  return news;
}

/** So often it is said which crawls are asked for: it holds for longer. */
const aliveEveryMs = 2_000;

async function stayKnown(context: Context): Promise<void> {
  const { clock, crawls, hints, served, shards } = context;
  const work = async () => {
    await crawls.refresh();
    hints.keep(new Set(crawls.active().map(({ c }) => c)));
    if (served.size === 0 || clock.now() - context.saidAliveAtMs < aliveEveryMs) return;
    context.saidAliveAtMs = clock.now();
    await crawls.sayAlive([...served]);
  };
  await shards.together([{ key: storeTag, work }]);
}

/** Groups in which a lease is known to have ended, also where no crawl has come into them. */
function endedPlaces({ crawls, groups, hints }: Context, isMeant: (group: number) => boolean): Places {
  const ended = new Set(hints.due([], groups.now).filter(isMeant));
  const places = placesOf(crawls.active(), (group) => ended.has(group));
  for (const group of ended) if (!places.has(group)) places.set(group, []);
  return places;
}

/** The groups that are meant and have changed, and those in which a lease has ended. */
async function changedIn(
  context: Context,
  visits: GroupVisits,
  isMeant: (group: number) => boolean,
): Promise<Places> {
  const changed = await changedPlaces(context, visits, placesOf(context.crawls.active(), isMeant));
  return new Map([...changed, ...endedPlaces(context, isMeant)]);
}

/** What is to be known before groups are swept. */
async function prepare(context: Context): Promise<void> {
  await stayKnown(context);
  await findEntered(context);
  // Whoever is still asked for is soon in it again.
  context.served.clear();
}

interface Swept {
  answer: SweepAnswer;
  /** Groups in which there is more to do, or that were not swept. */
  left: Set<number>;
}

/**
 * One bounded step of upkeep over these groups: what ran out, what must settle, what lies in outboxes. Groups
 * that have much to settle share the limit; the rest follows in the next step. Groups whose primary does not
 * answer wait for a later one.
 */
async function sweep(context: Context, places: Places): Promise<Swept> {
  const { shards } = context;
  const swept = [...places.keys()];
  const ask = (groups: number[], room: number) =>
    shards.run(
      groups.map((group) => ({
        group,
        script: scripts.sweep,
        args: [room, ...(places.get(group) ?? []).map(({ c }) => c)],
      })),
      { skipAway: true, late: dropLate },
    );
  const total: SweepAnswer = { expired: 0, settled: 0, more: false };
  const left = new Set(swept);
  let room = sweepLimit;
  const waiting: number[] = [];
  for (const [i, answer] of (await ask(swept, 0)).entries()) {
    if (answer?.kind !== 'ok') continue;
    const [expired, moved, , more] = answer.values as number[];
    total.expired += expired ?? 0;
    room -= moved ?? 0;
    if (more === 1) waiting.push(swept[i] as number);
    if (more === 0) left.delete(swept[i] as number);
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
  for (const group of await deliverLate(context, places)) left.add(group);
  return { answer: total, left };
}

/** Whoever put it there has 2 s to deliver it; then it is taken for dead. */
const lateAfterMs = 2000;
const parcelsAtOnce = 50;

/** Answers the groups whose outboxes are not empty, or were not looked into. */
async function deliverLate(context: Context, places: Places): Promise<Set<number>> {
  const parcels: Parcel[] = [];
  const full = new Set(places.keys());
  const works = byShard(context, places).map((part) => ({
    key: keyOf(part),
    async work() {
      const found = await lateParcels(context, each(part));
      parcels.push(...found.parcels);
      for (const group of part.keys()) if (!found.full.has(group)) full.delete(group);
    },
  }));
  await context.shards.together(works);
  await deliverNow(context, parcels.splice(0));
  return full;
}

interface LateParcels {
  parcels: Parcel[];
  /** Groups with something in an outbox, also what is too young to be late. */
  full: Set<number>;
}

async function lateParcels({ store, groups }: Context, boxes: readonly Place[]): Promise<LateParcels> {
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
  return { parcels, full: new Set(full.map(({ group }) => group)) };
}

/** Beside what scripts could not read: see `set_aside` in texts.lua. */
function setAside(group: number, name: string, texts: string[]): StoreCall[] {
  const key = groupTag(group);
  return [
    { key, args: ['HSET', asideKey(group), name, texts.join('\n').slice(0, 10_000)] },
    { key, args: ['HINCRBY', asideKey(group), '#', texts.length] },
  ];
}
