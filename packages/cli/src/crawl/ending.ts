import { errorCodes, type PauseCause } from '@webfarer/protocol';
import type { ThresholdResult } from '@webfarer/protocol/job';
import type { Summary } from './crawl-run.ts';
import type { Tally } from './tally.ts';

/** How a crawl came to its end, as a person would put it. Each has one exit code. */
export type Ending =
  | 'finished'
  | 'limited'
  | 'interrupted'
  | 'storage'
  | 'threshold-missed'
  | 'no-such-host'
  | 'nothing-allowed'
  | 'nothing-fetched';

export const endingExit: Record<Ending, number> = {
  finished: 0,
  limited: 0,
  interrupted: errorCodes.interrupted.exit,
  storage: errorCodes.storage.exit,
  'threshold-missed': errorCodes['threshold-missed'].exit,
  'no-such-host': errorCodes['no-such-host'].exit,
  'nothing-allowed': errorCodes['nothing-allowed'].exit,
  // Not one URL could be read: for a script this is no success, and the address given is the likeliest cause.
  'nothing-fetched': errorCodes['no-such-host'].exit,
};

const storageCauses: readonly PauseCause[] = [
  'disk',
  'min-free',
  'object-storage',
  'saving',
  'store',
  'store-full',
  'store-replicas',
  'store-backlog',
];

export interface EndingFacts {
  summary: Pick<Summary, 'state' | 'pause' | 'balance' | 'snapshot'>;
  tally: Tally;
  thresholds: readonly ThresholdResult[];
}

export function endingOf({ summary, tally, thresholds }: EndingFacts): Ending {
  if (summary.state !== 'finished' && summary.state !== 'limited') {
    const { cause } = summary.pause ?? {};
    return cause !== undefined && storageCauses.includes(cause) ? 'storage' : 'interrupted';
  }
  const nothing = nothingFetched(summary, tally);
  if (summary.state === 'finished' && nothing) return nothing;
  if (thresholds.some((result) => !result.met)) return 'threshold-missed';
  return summary.state;
}

/** No page was read at all, and one reason explains it. */
function nothingFetched({ balance, snapshot }: EndingFacts['summary'], tally: Tally): Ending | undefined {
  const { byReason } = snapshot;
  if (tally.pagesRead > 0 || balance.known === 0) return undefined;
  if (balance.failed > 0 && balance.failed === (byReason['dns-not-found'] ?? 0) && balance.refused === 0)
    return 'no-such-host';
  if (balance.failed === 0 && balance.refused > 0) return 'nothing-allowed';
  return balance.failed > 0 ? 'nothing-fetched' : undefined;
}

/** Not one page was read because the user's own scraper failed on each: a mistake in it, nothing of the site. */
export function isOwnFault(ending: Ending, { balance, snapshot }: EndingFacts['summary']): boolean {
  return ending === 'nothing-fetched' && balance.failed === (snapshot.byReason.handler ?? 0);
}
