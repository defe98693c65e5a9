import { WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { clean } from '../../terminal/text.ts';
import { asking, dueWords, findCrawl, latestRun } from './remote.ts';

const LOOK_MS = 500;

/** Finds a crawl. A schedule that has not run yet is waited for, and its first run is the crawl. */
export async function awaitCrawl(
  context: CliContext,
  at: CoordinatorAt,
  named: string | undefined,
): Promise<CrawlDetail> {
  const leave = new AbortController();
  const unlisten = context.onInterrupt(() => leave.abort());
  let said = false;
  try {
    for (;;) {
      const run = named === undefined ? undefined : await latestRun(at, named);
      if (run === undefined || run.crawl !== undefined || leave.signal.aborted)
        return await asking(context, at, findCrawl(context, at, named));
      if (run.trouble)
        throw new WebfarerError('conflict', `${named}: ${run.trouble.text}`, { next: run.trouble.next });
      if (!said) context.terminal.err(`  … ${clean(named ?? '')} has not run yet${dueWords(context, run)}\n`);
      said = true;
      await context.clock.sleep(LOOK_MS, leave.signal).catch(() => undefined);
    }
  } finally {
    unlisten();
  }
}
