import type { Balance, Clock, CrawlState, Stall } from '@webfarer/protocol';
import { type Manifest, writeManifest } from '../folder/manifest.ts';
import type { LimitedBy } from './crawl-control.ts';

export interface SessionFileOptions {
  manifest: Manifest;
  folder: string;
  clock: Clock;
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

/** A crash loses this much of the running time of a crawl. */
const SAVE_MS = 5_000;

export function createSessionFile({
  manifest,
  folder,
  clock,
  now,
  balance,
}: SessionFileOptions): SessionFile {
  async function save(): Promise<void> {
    const { state, elapsedMs, limitedBy, stall } = now();
    manifest.session = {
      state,
      updatedAtMs: Math.round(clock.now()),
      elapsedMs: Math.round(elapsedMs),
      balance: await balance(),
      ...(limitedBy ? { limitedBy } : {}),
      ...(stall ? { stall } : {}),
    };
    // On a full disk the crawl itself waits; where it stood is only a convenience.
    await writeManifest(folder, manifest).catch(() => undefined);
  }

  return {
    save,
    async keep(until) {
      while (!until.aborted) {
        await clock.sleep(SAVE_MS, until).catch(() => undefined);
        if (!until.aborted) await save().catch(() => undefined);
      }
    },
  };
}
