import type { CrawlState } from '@webfarer/protocol';
import { type Judged, shownState } from '@webfarer/protocol/numbers';
import { useText } from '../text/use-text.tsx';

/** What was ordered of a crawl, or how it ended; failed: it cannot run. */
export type LifeState = CrawlState | 'failed';

/** What became of that order, as far as it was told. */
export function StateBadge({
  state,
  status,
}: {
  state: LifeState | undefined;
  status: Omit<Judged, 'state'> | undefined;
}) {
  const { states } = useText();
  const shown = shownState({ ...status, state });
  return <span className={`state ${shown}`}>{states[shown]}</span>;
}
