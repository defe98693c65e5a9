import type { Clock } from '@webfarer/protocol';
import { takeWanted, type Wanted } from '../folder/wanted-state.ts';

export interface WantedFileOptions {
  folder: string;
  clock: Clock;
  /** Does what an operator wants, from another terminal of this machine. */
  obey: (wanted: Wanted) => Promise<void>;
}

const LOOK_MS = 500;

/** Looks at the folder of a crawl for what `pause`, `resume`, `stop` and `edit` have written there, until the signal comes. */
export async function obeyWantedFile(
  { folder, clock, obey }: WantedFileOptions,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    const wanted = await takeWanted(folder).catch(() => undefined);
    // A store that does not answer cannot be told; the operator sees that nothing changed and asks again.
    if (wanted !== undefined) await obey(wanted).catch(() => undefined);
    await clock.sleep(LOOK_MS, until).catch(() => undefined);
  }
}
