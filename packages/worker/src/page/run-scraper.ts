import type { FailedReason } from '@webfarer/protocol';
import type { HandlingContext } from '../context/context.ts';
import { errorWithPlace } from './error-place.ts';
import type { Gatherer } from './gather.ts';
import { HookError, mostDetail, storable, withinHandlerTime } from './own-code.ts';
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
    if (work) await withinHandlerTime(work, context, () => tooLate(abort));
    running.hook = 'items';
    if (gather.items.length === 0) return { ok: true, items: [] };
    const checked = checkAll(context, gather.items);
    return context.checkItem
      ? await withinHandlerTime(checked, context, () => tooLate(abort))
      : await checked;
  } catch (error) {
    const where = running.hook === 'onPage' ? '' : `${running.hook}: `;
    if (isA(error, TooLate)) {
      return { ok: false, reason: 'handler-timeout', detail: `${where}not done after ${limitMs / 1_000} s` };
    }
    if (isA(error, ItemProblem)) return { ok: false, reason: 'item-invalid', detail: error.message };
    const said = isA(error, HookError) ? error.message : errorWithPlace(error);
    return { ok: false, reason: 'handler', detail: `${where}${said}`.slice(0, mostDetail), error };
  }
}

/** Even this question may run user code, where a proxy was thrown. */
function isA<Kind extends Error>(error: unknown, kind: new (...args: never[]) => Kind): error is Kind {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}

/** The items as they are stored, or what is wrong with the first that cannot be. */
async function checkAll({ checkItem }: HandlingContext, pushed: readonly unknown[]): Promise<ScrapeAnswer> {
  const items: unknown[] = [];
  for (const item of pushed) {
    const checked = checkItem ? await checkItem(item) : { ok: true as const, value: item };
    const verdict = checked.ok ? storable(checked.value) : checked;
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

/** Aborts the signal that the code was given. */
function tooLate(abort: AbortController): TooLate {
  const error = new TooLate();
  abort.abort(error);
  return error;
}
