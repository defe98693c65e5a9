import type { Clock } from '@webfarer/protocol';
import type { CrawlRun, Summary } from '../crawl/crawl-run.ts';

export interface Patience {
  clock: Clock;
  waitMs: number;
  /** The client no longer wants the answer. */
  signal: AbortSignal;
}

export type Awaited = { is: 'over'; summary: Summary } | { is: 'late' } | { is: 'cancelled' };

/** Waits for the end of a crawl, but not for longer than its client does. The crawl is left as it is. */
export async function awaitRun(run: CrawlRun, { clock, waitMs, signal }: Patience): Promise<Awaited> {
  const over = new AbortController();
  const ended = Promise.resolve(run).then((summary): Awaited => ({ is: 'over', summary }));
  const waited = clock.sleep(waitMs, AbortSignal.any([signal, over.signal])).then(
    (): Awaited => ({ is: 'late' }),
    (): Awaited => ({ is: 'cancelled' }),
  );
  try {
    return await Promise.race([ended, waited]);
  } finally {
    over.abort();
  }
}
