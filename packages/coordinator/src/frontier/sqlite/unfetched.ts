import type { PageRecord } from '@webfarer/protocol';
import type { EntryRow } from './rows/entries.ts';
import type { PairRow } from './rows/host-state.ts';
import type { Store } from './store.ts';

type Why =
  | { reason: 'host-dead' | 'poison'; detail: string }
  | { reason: 'host-budget' | 'site-budget' | 'dropped' | 'scope'; detail?: never };

/** The outcome of a URL that no worker has reported. */
export function unfetched(store: Store, pair: PairRow, row: EntryRow, why: Why): PageRecord {
  const { url, kind, depth, attempt } = store.entries.toEntry(row, pair.host.key);
  return {
    url,
    kind,
    depth,
    ...why,
    verdict: why.detail === undefined ? 'refused' : 'failed',
    attempts: attempt,
    bytes: 0,
    startedAtMs: store.clock.now(),
    durationMs: 0,
    links: 0,
    items: 0,
  };
}
