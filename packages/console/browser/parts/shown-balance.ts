import type { Balance } from '@webfarer/protocol';
import type { ShownState } from './state-badge.tsx';

/** Of a crawl that does not run nothing is in progress: what was leased is fetched when it is resumed. */
export function shownBalance(balance: Balance, state: ShownState | undefined): Balance {
  if (state === 'running' || state === 'paused') return balance;
  return { ...balance, leased: 0, queued: balance.queued + balance.leased };
}
