import { allGroups, type Context } from './context.ts';
import { deliver, readOutbox } from './outbox.ts';
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
 * that have much to settle share the limit; the rest follows in the next step.
 */
export async function sweep(context: Context): Promise<SweepAnswer> {
  await context.crawls.refresh();
  if (context.served.size > 0) await context.crawls.sayAlive([...context.served]);
  context.served.clear();
  const crawls = context.crawls.all().map(({ c }) => c);
  const ask = (groups: number[], room: number) =>
    context.groups.run(groups.map((group) => ({ group, script: scripts.sweep, args: [room, ...crawls] })));
  const total: SweepAnswer = { expired: 0, settled: 0, more: false };
  let room = sweepLimit;
  const waiting: number[] = [];
  for (const [group, answer] of (await ask(allGroups(context), 0)).entries()) {
    if (answer.kind !== 'ok') continue;
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

/** Whoever put it there has 2 s to deliver it; then it is taken for dead. */
const lateAfterMs = 2000;
const parcelsAtOnce = 50;

async function deliverLate(context: Context): Promise<void> {
  const { store, crawls, groups } = context;
  const places = allGroups(context).flatMap((group) => crawls.all().map((crawl) => ({ group, crawl })));
  const lengths = await store.run(
    places.map(({ group, crawl }) => ({ key: `{g${group}}`, args: ['XLEN', `{g${group}}${crawl.c}o`] })),
    { durable: false },
  );
  const full = places.filter((_, i) => Number(lengths[i]) > 0);
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
  const parcels = full.flatMap(({ group, crawl }, i) =>
    (found[i] as [string, string[]][]).map(([id, fields]) => ({
      crawl,
      group,
      id,
      // Field names stand between the texts.
      offers: fields.filter((_, n) => n % 2 === 1).flatMap(readOutbox),
    })),
  );
  await deliver(context, parcels);
}
