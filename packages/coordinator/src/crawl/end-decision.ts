import type { CrawlState } from '@webfarer/protocol';

/** How and when a crawl ends in this process. */
export interface EndDecision {
  /** It is about to end, whatever is asked of it. */
  readonly isEnding: boolean;
  /** Resolves with the first state it is to end as; rejects with a fault of ours. */
  readonly decided: Promise<CrawlState>;
  as(state: CrawlState): void;
  /** A fault of ours: continuing would only hide it. */
  fail(error: unknown): void;
  /** Aborted when workers are not waited for any longer. */
  readonly hurried: AbortSignal;
  hurry(): void;
  /** Aborted when its last summary is made, or it has failed. */
  readonly over: AbortSignal;
  complete(): void;
}

export function createEndDecision(): EndDecision {
  const decided = Promise.withResolvers<CrawlState>();
  // Errors reach whoever waits for the end; nobody waiting must not end the process.
  decided.promise.catch(() => undefined);
  const hurried = new AbortController();
  const over = new AbortController();
  let isEnding = false;
  return {
    get isEnding() {
      return isEnding;
    },
    decided: decided.promise,
    as(state) {
      isEnding = true;
      decided.resolve(state);
    },
    fail(error) {
      isEnding = true;
      decided.reject(error);
    },
    hurried: hurried.signal,
    hurry: () => hurried.abort(),
    over: over.signal,
    complete: () => over.abort(),
  };
}
