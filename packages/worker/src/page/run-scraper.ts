import type { FailedReason } from '@webfarer/protocol';
import type { HandlingContext } from '../context/context.ts';
import { errorWithPlace } from './error-place.ts';
import type { Gatherer } from './gather.ts';
import { ItemProblem } from '../scrape/item-problem.ts';
import { dropReason, type Page } from '../scrape/scraper.ts';

export type ScrapeAnswer =
  | { ok: true; items: unknown[] }
  /** `error`: what user code threw, where that is why. */
  | { ok: false; reason: FailedReason; detail: string; error?: unknown };

/** Runs user code under its time limit and checks what it pushed. Never throws. */
export async function runScraper(
  context: HandlingContext,
  page: Page,
  gather: Gatherer,
  abort: AbortController,
): Promise<ScrapeAnswer> {
  const limitMs = context.job.fetch.handlerTimeoutMs;
  const running = { hook: 'onPage' };
  try {
    const isHooked = context.onResponse !== undefined || context.onItem !== undefined;
    const work = isHooked
      ? runHooked(context, page, { gather, running })
      : context.scraper(page, gather.tools);
    // Built-in scrapers are synchronous: no timer for them.
    if (work) await withinTime(work, limitMs, context, abort);
  } catch (error) {
    const where = running.hook === 'onPage' ? '' : `${running.hook}: `;
    if (error instanceof TooLate) {
      return { ok: false, reason: 'handler-timeout', detail: `${where}not done after ${limitMs / 1_000} s` };
    }
    if (error instanceof ItemProblem) return { ok: false, reason: 'item-invalid', detail: error.message };
    return { ok: false, reason: 'handler', detail: `${where}${errorWithPlace(error)}`, error };
  }
  const items: unknown[] = [];
  for (const item of gather.items) {
    const verdict = (await context.checkItem?.(item)) ?? { ok: true, value: item };
    if (!verdict.ok) return { ok: false, reason: 'item-invalid', detail: verdict.problem };
    items.push(verdict.value);
  }
  return { ok: true, items };
}

/** Reasons for dropped items that are told apart for one page; all others are counted together. */
const maxDropReasons = 20;

/** The scraper with what runs before it on the page and after it on each item. */
async function runHooked(
  context: HandlingContext,
  page: Page,
  { gather, running }: { gather: Gatherer; running: { hook: string } },
): Promise<void> {
  const { onResponse, onItem, scraper } = context;
  if (onResponse) {
    running.hook = 'onResponse';
    await onResponse(page);
  }
  running.hook = 'onPage';
  await scraper(page, gather.tools);
  if (!onItem) return;
  running.hook = 'onItem';
  const { droppedItems } = gather;
  for (const item of gather.items.splice(0)) {
    const answer = await onItem(item, page);
    const why = dropReason(answer)?.slice(0, 100);
    if (why === undefined) {
      gather.items.push(answer === undefined ? item : answer);
      continue;
    }
    const reason = droppedItems.has(why) || droppedItems.size < maxDropReasons ? why : 'other';
    droppedItems.set(reason, (droppedItems.get(reason) ?? 0) + 1);
  }
}

class TooLate extends Error {}

async function withinTime(
  work: Promise<void>,
  limitMs: number,
  context: HandlingContext,
  abort: AbortController,
): Promise<void> {
  const over = new AbortController();
  const tooLate = context.clock.sleep(limitMs, over.signal).then(() => {
    const error = new TooLate();
    abort.abort(error);
    throw error;
  });
  tooLate.catch(() => undefined);
  try {
    await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}
