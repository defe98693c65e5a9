import type { FailedReason } from '@webfarer/protocol';
import type { CrawlContext } from '../context/context.ts';
import { errorWithPlace } from './error-place.ts';
import type { Gatherer } from './gather.ts';
import type { Page } from '../scrape/scraper.ts';

export type ScrapeAnswer =
  | { ok: true; items: unknown[] }
  | { ok: false; reason: FailedReason; detail: string };

/** Runs user code under its time limit and checks what it pushed. Never throws. */
export async function runScraper(
  context: CrawlContext,
  page: Page,
  gather: Gatherer,
  abort: AbortController,
): Promise<ScrapeAnswer> {
  const limitMs = context.job.fetch.handlerTimeoutMs;
  try {
    const work = context.scraper(page, gather.tools);
    // Built-in scrapers are synchronous: no timer for them.
    if (work) await withinTime(work, limitMs, context, abort);
  } catch (error) {
    if (error instanceof TooLate) {
      return { ok: false, reason: 'handler-timeout', detail: `not done after ${limitMs / 1_000} s` };
    }
    return { ok: false, reason: 'handler', detail: errorWithPlace(error) };
  }
  const items: unknown[] = [];
  for (const item of gather.items) {
    const verdict = (await context.checkItem?.(item)) ?? { ok: true, value: item };
    if (!verdict.ok) return { ok: false, reason: 'item-invalid', detail: verdict.problem };
    items.push(verdict.value);
  }
  return { ok: true, items };
}

class TooLate extends Error {}

async function withinTime(
  work: Promise<void>,
  limitMs: number,
  context: CrawlContext,
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
