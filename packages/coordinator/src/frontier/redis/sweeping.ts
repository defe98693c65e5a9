import { allGroups, type Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { deliver, type Parcel, readOutbox } from './outbox.ts';
import { groupTag, storeTag } from './keys.ts';
import { scripts } from './scripts.ts';

/** Entries one sweep may move (F14). */
const sweepLimit = 500;

export interface SweepAnswer {
  expired: number;
  settled: number;
  more: boolean;
}

/**
 * One bounded step of upkeep over all groups: what ran out, what must settle, what lies in outboxes. Groups
 * that have much to settle share the limit; the rest follows in the next step. Groups whose primary does not
 * answer wait for a later one.
 */
export async function sweep(context: Context): Promise<SweepAnswer> {
  const { shards } = context;
  await shards.together([{ key: storeTag, work: () => refresh(context) }]);
  const crawls = context.crawls.all().map(({ c }) => c);
  const ask = (groups: number[], room: number) =>
    shards.run(
      groups.map((group) => ({ group, script: scripts.sweep, args: [room, ...crawls] })),
      { skipAway: true },
    );
  const total: SweepAnswer = { expired: 0, settled: 0, more: false };
  let room = sweepLimit;
  const waiting: number[] = [];
  for (const [group, answer] of (await ask(allGroups(context), 0)).entries()) {
    if (answer?.kind !== 'ok') continue;
    const [expired, moved, , more] = answer.values as number[];
    total.expired += expired ?? 0;
    room -= moved ?? 0;
    if (more === 1) waiting.push(group);
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
  await deliverLate(context);
  return total;
}

async function refresh({ crawls, served }: Context): Promise<void> {
  await crawls.refresh();
  if (served.size > 0) await crawls.sayAlive([...served]);
  served.clear();
}

/** Whoever put it there has 2 s to deliver it; then it is taken for dead. */
const lateAfterMs = 2000;
const parcelsAtOnce = 50;

async function deliverLate(context: Context): Promise<void> {
  const { crawls, shards } = context;
  const parts = new Map<number, Outbox[]>();
  for (const group of allGroups(context)) {
    const boxes = parts.get(shards.numberOf(group)) ?? [];
    boxes.push(...crawls.all().map((crawl) => ({ group, crawl })));
    parts.set(shards.numberOf(group), boxes);
  }
  const parcels: Parcel[] = [];
  const works = [...parts.values()].map((boxes) => ({
    key: groupTag(boxes[0]?.group ?? 0),
    work: async () => void parcels.push(...(await lateParcels(context, boxes))),
  }));
  await shards.together(works);
  await deliver(context, parcels.splice(0));
}

interface Outbox {
  group: number;
  crawl: StoredCrawl;
}

async function lateParcels({ store, groups }: Context, boxes: Outbox[]): Promise<Parcel[]> {
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
  return full.flatMap(({ group, crawl }, i) =>
    (found[i] as [string, string[]][]).map(([id, fields]) => ({
      crawl,
      group,
      id,
      // Field names stand between the texts.
      offers: fields.filter((_, n) => n % 2 === 1).flatMap(readOutbox),
    })),
  );
}
