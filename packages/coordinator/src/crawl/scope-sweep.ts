import { type Clock, type CrawlId, isStorageTrouble, WebfarerError } from '@webfarer/protocol';
import type { Scope } from '@webfarer/protocol/url';
import type { CrawlEntry } from '../catalog/crawl-entry.ts';
import type { Frontier, UrlStep, UrlStepAnswer } from '../frontier/frontier.ts';
import { type ScopedUrl, scopeRefusal } from './scope-refusal.ts';

export interface ScopeSweepOptions {
  crawl: CrawlId;
  frontier: Pick<Frontier, 'drop' | 'retry' | 'totals'>;
  /** As it is in force now. */
  scope: () => Scope;
  entry: Pick<CrawlEntry, 'isListed' | 'pendingSweep' | 'swept'>;
  clock: Clock;
  /** One coordinator of a store at a time, as far as that can be had: two would do no harm. */
  duty: SweepDuty | undefined;
  /** URLs were queued again. */
  queued: () => void;
  /** A fault of ours. */
  failed: (error: unknown) => void;
}

export interface SweepDuty {
  /** False while another coordinator has it. */
  claim(forMs: number): Promise<boolean>;
  /** Others may have it before that time is over. */
  release(): Promise<void>;
}

/**
 * Carries out a change of the scope on the URLs that are known: what is queued and out of scope is refused(scope), what
 * was refused(scope) and is in scope again is queued. Until then, and for what workers find under the scope before,
 * workers refuse what is out of scope when its turn comes.
 */
export interface ScopeSweepRunner {
  /** Another scope is in force, or may be: the entry in the catalog says so. */
  kick(how: { isRescoped: boolean }): void;
  /** Carries out what is pending; resolves when it is done. */
  finish(): Promise<void>;
  /** Under way here: the crawl must not end meanwhile. */
  readonly isBusy: boolean;
  stop(): Promise<void>;
}

const CLAIM_MS = 10_000;
const AFTER_TROUBLE_MS = 1_000;
const OTHERS_MS = 2_000;
/** Without an entry in a catalog: for a change that only this process knows of. */
const unlisted = 0;

export function createScopeSweep(options: ScopeSweepOptions): ScopeSweepRunner {
  const { crawl, frontier, scope, entry, clock, duty } = options;
  const stopping = new AbortController();
  let isAsked = false;
  let running: Promise<void> | undefined;

  const fits = (url: ScopedUrl) => scopeRefusal(scope(), url) === undefined;

  /** By sweeps that no edit was told of yet: one that a trouble of the store cut short is begun anew. */
  let moved = { dropped: 0, restored: 0 };

  async function all(
    kind: keyof typeof moved,
    step: (after: string) => Promise<UrlStepAnswer>,
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      stopping.signal.throwIfAborted();
      const answer: UrlStepAnswer = await step(after);
      moved[kind] += answer.moved;
      after = answer.next;
    }
  }

  async function sweep(edit: number): Promise<void> {
    const anywhere = {};
    await all('dropped', (after) => {
      const step: UrlStep<object> = { filter: anywhere, after, only: (url) => !fits(url) };
      return frontier.drop(crawl, step, 'scope');
    });
    await all('restored', (after) =>
      frontier.retry(crawl, { filter: { reason: 'scope' }, after, only: fits }),
    );
    if (moved.restored > 0) options.queued();
    const { dropped: linksNotKnown } = await frontier.totals(crawl);
    await entry.swept(edit, { ...moved, linksNotKnown });
    moved = { dropped: 0, restored: 0 };
  }

  async function finish(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pending = isAsked ? unlisted : await entry.pendingSweep();
      if (pending === undefined) return;
      const claimed = pending === unlisted ? undefined : duty;
      if (claimed && !(await claimed.claim(CLAIM_MS))) {
        await clock.sleep(OTHERS_MS, stopping.signal).catch(() => undefined);
        continue;
      }
      isAsked = false;
      try {
        await sweep(pending);
      } finally {
        // Without an answer of the store the claim ends by its time.
        await claimed?.release().catch(() => undefined);
      }
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      try {
        return await finish();
      } catch (error) {
        if (stopping.signal.aborted) return;
        // It was deleted elsewhere, and ends by itself.
        if (error instanceof WebfarerError && error.code === 'not-found') return;
        if (!isStorageTrouble(error)) return options.failed(error);
        await clock.sleep(AFTER_TROUBLE_MS, stopping.signal).catch(() => undefined);
      }
    }
  }

  return {
    kick({ isRescoped }) {
      isAsked ||= isRescoped && !entry.isListed;
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    finish,
    get isBusy() {
      return running !== undefined;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
