import type { Balance, CrawlState, DatedClock, Stall } from '@webfarer/protocol';
import type { Manifest, ManifestFile } from '../folder/manifest.ts';
import type { LimitedBy } from './crawl-control.ts';

export interface SessionFileOptions {
  manifest: Manifest;
  file: ManifestFile;
  clock: DatedClock;
  /** Where the crawl stands now. */
  now: () => SessionNow;
  balance: () => Promise<Balance>;
}

export interface SessionNow {
  state: CrawlState;
  elapsedMs: number;
  limitedBy: LimitedBy | undefined;
  stall: Stall | undefined;
}

/** The session of a crawl in its `crawl.json`: what `status` shows, and how long the crawl has run. */
export interface SessionFile {
  save(): Promise<void>;
  /** Saves it every few seconds until the signal comes. */
  keep(until: AbortSignal): Promise<void>;
}

/**
 * A crash loses this much of the running time of a crawl. The file has all seeds, so a long one is written less often:
 * 50 s with 2,000 seeds of 230 bytes. Otherwise open crawls would spend most of the coordinator's memory on it.
 */
const SAVE_MS = 5_000;
const CHARS_PER_SAVE = 100_000;
const MOST_MS = 60_000;

export function createSessionFile({ manifest, file, clock, now, balance }: SessionFileOptions): SessionFile {
  let chars = 0;

  async function save(): Promise<void> {
    const { state, elapsedMs, limitedBy, stall } = now();
    manifest.session = {
      state,
      updatedAtMs: Math.round(clock.wall()),
      elapsedMs: Math.round(elapsedMs),
      balance: await balance(),
      ...(limitedBy ? { limitedBy } : {}),
      ...(stall ? { stall } : {}),
    };
    // On a full disk the crawl itself waits; where it stood is only a convenience.
    ({ chars } = await file.write().catch(() => ({ chars })));
  }

  return {
    save,
    async keep(until) {
      while (!until.aborted) {
        const waitMs = SAVE_MS * Math.max(1, Math.ceil(chars / CHARS_PER_SAVE));
        await clock.sleep(Math.min(waitMs, MOST_MS), until).catch(() => undefined);
        if (!until.aborted) await save().catch(() => undefined);
      }
    },
  };
}
