import type { CrawlState } from '@webfarer/protocol';
import { useText } from '../text/use-text.tsx';

export type ShownState = CrawlState | 'failed';

export function StateBadge({ state }: { state: ShownState }) {
  const { states } = useText();
  return <span className={`state ${state}`}>{states[state]}</span>;
}
