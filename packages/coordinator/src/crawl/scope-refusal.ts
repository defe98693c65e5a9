import type { DroppedReason, Entry } from '@webfarer/protocol';
import { type Scope, targetOf } from '@webfarer/protocol/url';

/** A URL that the crawl knows, as its scope is asked about it. */
export type ScopedUrl = Pick<Entry, 'url' | 'kind' | 'depth'> & { hops?: number };

export interface ScopeRefusal {
  reason: DroppedReason;
  /** The setting and pattern that decided, as a person wrote it. */
  rule?: string;
}

/**
 * Why a scope has no place for a known URL; undefined: it has. As workers decide when the turn of a URL comes: seeds stay,
 * and costs are those of its discovery.
 */
export function scopeRefusal(
  scope: Scope,
  { url, kind, depth, hops = 0 }: ScopedUrl,
): ScopeRefusal | undefined {
  if (depth === 0) return undefined;
  const verdict = scope.decide({ url: targetOf(url), kind, depth, hops, parentCost: 0 });
  return verdict.in || verdict.reason === 'cost' ? undefined : verdict;
}
