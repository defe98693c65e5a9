import type { CrawlId, CrawlState, WorkerId } from '@webfarer/protocol';
import type { FrontierCrawl } from '../frontier.ts';
import { type Context, enteredGroups } from './context/context.ts';
import { findEntered, hasCeiling, openIn } from './entering.ts';
import type { LimitLook } from './context/crawl-steps.ts';
import type { Ceiling } from './context/ledger.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import type { GroupAnswer } from '../../redis/group-runner.ts';
import { replyArray } from '../../redis/reply-array.ts';
import { groupTag } from '../../redis/keys.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** How long whoever changed a crawl has for telling all groups, before others do. */
const lateMs = 2_000;

/** Tells its groups what the crawl may do. */
export async function openCrawl(context: Context, settings: FrontierCrawl): Promise<string> {
  const { crawl, isCounted } = await context.crawls.open(settings);
  context.opened.add(crawl.c);
  await tellGroups(context, crawl);
  // A process may have queued work here and died before it could reopen the crawl.
  if (crawl.state === 'finished' && (await hasWork(context, crawl))) await reopen(context, crawl);
  // A crawl that had no ceiling so far was not counted. No group leases any more without a draw.
  if (hasCeiling(crawl.settings) && !isCounted) await context.ledger.recount(crawl);
  return crawl.nonce;
}

/**
 * Tells the groups that a crawl has come into what is in force of it, with the number of its last change (F20). A group that has
 * heard of a later one leaves it at that; its number is above the store's only if the store went back in time, which then goes
 * on above it.
 */
async function tellGroups(context: Context, crawl: StoredCrawl): Promise<void> {
  for (;;) {
    const { order, groups } = crawl;
    // There is nobody to tell: catalog.lua.
    if (groups.list.length === 0) return;
    // Each group answers when it has something to do from now on.
    context.hints.forget(crawl.c);
    const { changed, highest } = await openIn(context, crawl, groups.list);
    await Promise.all(changed.map((group) => reviewGroup(context, crawl, group)));
    await context.crawls.setTold(crawl, order, highest);
    // Whoever changed it meanwhile tells the groups of that.
    if (highest <= order || crawl.order <= highest) return;
  }
}

/** A process that changed a crawl may have died before all groups had heard of it. */
export async function tellLate(context: Context): Promise<void> {
  const now = context.clock.now();
  for (const crawl of context.crawls.active()) {
    if (crawl.told >= crawl.order) crawl.lateSinceMs = undefined;
    else if (now - (crawl.lateSinceMs ??= now) >= lateMs) {
      crawl.lateSinceMs = undefined;
      await tellGroups(context, crawl);
    }
  }
}

/** Hosts that have a queue are looked at again, in bounded steps: they may be due earlier, or not at all. */
async function reviewGroup(context: Context, { c }: StoredCrawl, group: number): Promise<void> {
  for (const index of ['q', 'b', 'z']) {
    let cursor = '0';
    do {
      const answer = await context.groups.one(group, scripts.review, [c, index, cursor]);
      cursor = answer.kind === 'ok' ? (answer.values[0] as string) : '0';
    } while (cursor !== '0');
  }
}

export async function setState(
  context: Context,
  crawl: StoredCrawl,
  { state, wish }: { state: CrawlState; wish: number | undefined },
): Promise<CrawlState> {
  await context.crawls.setState(crawl, state, wish);
  await tellGroups(context, crawl);
  return crawl.state;
}

/** Rounds of looking at groups whose news a dead process could not bring. */
const looksAtMost = 4;

/** Ends the crawl at a ceiling of its own, in one step of the store; until then nobody knows that it is reached. */
export async function limit(context: Context, id: CrawlId): Promise<Ceiling | undefined> {
  const { crawls, ledger } = context;
  const crawl = await crawls.get(id);
  let seen: LimitLook | undefined;
  for (let round = 0; round < looksAtMost; round++) {
    const answer = await crawls.limit(crawl, seen);
    if (answer.kind === 'no') return undefined;
    if (answer.kind === 'limited') {
      if (crawl.told < crawl.order) await tellGroups(context, crawl);
      return answer.by;
    }
    const { changes, which, groups } = answer;
    const used = await ledger.look(crawl, groups);
    seen = { changes, which, used: groups.map((group, i) => [group, used[i] ?? ''] as const) };
  }
  return undefined;
}

/**
 * Every group of a crawl marks it as closed if nothing is left in it, and answers how often it was opened so far; then all
 * are asked whether that number and the mark are still the same (F9). If so, there was a moment, between the two
 * rounds, at which nothing was queued, leased or on its way in any group. Links are never on their way outside a queue,
 * a lease or an outbox. The mark forbids nothing and belongs to no finisher: several may look at once, and one that dies
 * leaves nothing to clean up.
 */
export async function finish(context: Context, id: CrawlId): Promise<boolean> {
  // Nobody knows what is left there.
  if (context.shards.anyAway()) return false;
  const crawl = await context.crawls.get(id);
  // Something is queued, as far as is known here; the sweep brings news of what others did, but not of a crawl that one
  // of them has finished.
  const dueMs = context.hints.firstDueMs(crawl.c, context.groups.now, () => true);
  if (crawl.state !== 'finished' && dueMs < Number.POSITIVE_INFINITY) return false;
  if (!(await findEntered(context))) return false;
  const { state, seeded, opened, groups } = await context.crawls.read(crawl);
  if (!seeded) return false;
  if (await hasWork(context, crawl)) {
    if (state === 'finished') await reopen(context, crawl);
    return false;
  }
  if (state === 'finished') return true;
  const { list } = crawl.groups;
  const closed = await closeGroups(context, crawl, { list, before: [] });
  const before = closed.flatMap((answer) => (answer.kind === 'ok' ? [answer.values[0] as string] : []));
  if (before.length < list.length) return false;
  const kept = await closeGroups(context, crawl, { list, before });
  if (kept.some(({ kind }) => kind !== 'ok')) return false;
  return await context.crawls.finish(crawl, { opened, groups });
}

interface Closing {
  list: readonly number[];
  /** What was seen in each before; nothing to set the mark. */
  before: readonly string[];
}

async function closeGroups(
  context: Context,
  { c }: StoredCrawl,
  { list, before }: Closing,
): Promise<GroupAnswer[]> {
  const script = scripts.closeGroup;
  return await context.groups.run(list.map((group, i) => ({ group, script, args: [c, before[i] ?? ''] })));
}

/** While one group is known to have something left, no other need be asked. */
async function hasWork(context: Context, crawl: StoredCrawl): Promise<boolean> {
  const known = crawl.openGroup;
  if (known !== undefined && (await findOpen(context, crawl, [known])) !== undefined) return true;
  const found = await findOpen(context, crawl, crawl.groups.list);
  crawl.openGroup = found;
  return found !== undefined;
}

/** The first of these groups in which something is queued or leased. */
async function findOpen(
  { store }: Context,
  { c }: StoredCrawl,
  groups: readonly number[],
): Promise<number | undefined> {
  const replies = await store.run(
    groups.map((group) => {
      const key = groupTag(group);
      return { key, args: ['HMGET', `${key}${c}c`, 'queued', 'leased'] };
    }),
  );
  return groups.find((_, i) => {
    const [queued, leased] = replyArray(replies[i] ?? null);
    return Number(queued) + Number(leased) > 0;
  });
}

/** Groups that were closed have something again: their crawls are not finished, or no longer. */
export async function reopenFinished(context: Context): Promise<void> {
  for (const c of context.reopened) {
    context.reopened.delete(c);
    // One that has been finished for long is not kept here.
    const crawl = context.crawls.byNumber(c) ?? (await context.crawls.lookUp(c));
    if (crawl) await reopen(context, crawl);
  }
}

async function reopen(context: Context, crawl: StoredCrawl): Promise<void> {
  const before = await context.crawls.reopen(crawl);
  if (before !== 'finished') return;
  await tellGroups(context, crawl);
}

export async function releaseAll(context: Context, worker: WorkerId | undefined): Promise<number> {
  let ended = 0;
  let open = enteredGroups(context).map((group) => ({ group, from: '0' }));
  while (open.length > 0) {
    const answers = await context.groups.run(
      open.map(({ group, from }) => ({ group, script: scripts.release, args: [worker ?? '', from] })),
    );
    const next: typeof open = [];
    for (const [i, answer] of answers.entries()) {
      if (answer.kind !== 'ok') continue;
      const [count, from] = answer.values as [number, string];
      ended += count;
      if (from !== '') next.push({ group: open[i]?.group ?? 0, from });
    }
    open = next;
  }
  return ended;
}
