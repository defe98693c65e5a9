import type { CrawlId, CrawlState, WorkerId } from '@webfarer/protocol';
import type { FrontierCrawl } from '../frontier.ts';
import { allGroups, type Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import type { GroupAnswer } from '../../redis/group-runner.ts';
import { replyArray } from '../../redis/reply-array.ts';
import { groupTag } from '../../redis/keys.ts';
import { readSums } from './reading.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** How long whoever changed a crawl has for telling all groups, before others do. */
const lateMs = 2_000;

/** Tells every group what the crawl may do. */
export async function openCrawl(context: Context, settings: FrontierCrawl): Promise<string> {
  const before = context.crawls.find(settings.id)?.settings.limits;
  const crawl = await context.crawls.open(settings);
  context.opened.add(crawl.c);
  await tellGroups(context, crawl);
  // A process may have queued work here and died before it could reopen the crawl.
  if (crawl.state === 'finished' && (await hasWork(context, crawl))) await reopen(context, crawl);
  const { pages, bytes } = crawl.settings.limits;
  const bounded = pages !== undefined || bytes !== undefined;
  // A crawl that had no ceiling so far was not counted.
  if (bounded && (before?.pages !== pages || before?.bytes !== bytes || !before)) {
    const sums = await readSums(context, crawl);
    await context.ledger.reset(crawl, {
      pages: (sums['dp'] ?? 0) + (sums['lp'] ?? 0),
      bytes: sums['bytes'] ?? 0,
    });
  }
  context.hints.forget();
  return crawl.nonce;
}

/** As state.lua takes them apart. */
function settingsWords(settings: FrontierCrawl): string {
  const { gapMs, leaseTtlMs, maxFetchMs, backoffMs, deadAfter, poisonAfter = '-' } = settings;
  const { hostPages = '-', hostBytes = '-', sitePages = '-', siteBytes = '-' } = settings.limits;
  // Whole milliseconds: never shorter than asked for.
  const times = [gapMs, leaseTtlMs, maxFetchMs, backoffMs, deadAfter].map(Math.ceil);
  return [...times, hostPages, hostBytes, sitePages, siteBytes, poisonAfter, settings.upgrades ? 1 : 0].join(
    ' ',
  );
}

/**
 * Tells every group what is in force of a crawl, with the number of its last change (F20). A group that has heard of a later
 * one leaves it at that; its number is above the store's only if the store went back in time, which then goes on above it.
 */
async function tellGroups(context: Context, crawl: StoredCrawl): Promise<void> {
  for (;;) {
    const { c, state, settings, order } = crawl;
    const words = `${settingsWords(settings)} ${order}`;
    const answers = await context.groups.run(
      allGroups(context).map((group) => ({ group, script: scripts.open, args: [c, state, words] })),
    );
    const heard = answers.map((answer) => (answer.kind === 'ok' ? answer.values : []));
    const changed = allGroups(context).filter((group) => heard[group]?.[0] === 1);
    await Promise.all(changed.map((group) => reviewGroup(context, crawl, group)));
    const highest = Math.max(...heard.map(([, last]) => Number(last)));
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
      context.hints.forget();
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
  context.hints.forget();
  return crawl.state;
}

/**
 * Every group marks the crawl as closed if nothing is left in it, and answers how often it was opened so far; then all
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
  const { state, seeded, opened } = await context.crawls.read(crawl);
  if (!seeded) return false;
  if (await hasWork(context, crawl)) {
    if (state === 'finished') await reopen(context, crawl);
    return false;
  }
  if (state === 'finished') return true;
  const closed = await closeGroups(context, crawl, () => '');
  const seen = closed.map((answer) => (answer.kind === 'ok' ? (answer.values[0] as string) : undefined));
  if (seen.includes(undefined)) return false;
  const kept = await closeGroups(context, crawl, (group) => seen[group] ?? '');
  if (kept.some(({ kind }) => kind !== 'ok')) return false;
  return await context.crawls.finish(crawl, opened);
}

/** For each group what was seen there before, or nothing to set the mark. */
async function closeGroups(
  context: Context,
  { c }: StoredCrawl,
  before: (group: number) => string,
): Promise<GroupAnswer[]> {
  const script = scripts.closeGroup;
  return await context.groups.run(
    allGroups(context).map((group) => ({ group, script, args: [c, before(group)] })),
  );
}

/** While one group is known to have something left, no other need be asked. */
async function hasWork(context: Context, crawl: StoredCrawl): Promise<boolean> {
  const known = crawl.openGroup;
  if (known !== undefined && (await findOpen(context, crawl, [known])) !== undefined) return true;
  const found = await findOpen(context, crawl, allGroups(context));
  crawl.openGroup = found;
  return found !== undefined;
}

/** The first of these groups in which something is queued or leased. */
async function findOpen(
  { store }: Context,
  { c }: StoredCrawl,
  groups: number[],
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
    const crawl = context.crawls.byNumber(c);
    if (crawl) await reopen(context, crawl);
  }
}

async function reopen(context: Context, crawl: StoredCrawl): Promise<void> {
  const before = await context.crawls.reopen(crawl);
  if (before !== 'finished') return;
  await tellGroups(context, crawl);
  context.hints.forget();
}

export async function releaseAll(context: Context, worker: WorkerId | undefined): Promise<number> {
  let ended = 0;
  let open = allGroups(context).map((group) => ({ group, from: '0' }));
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
