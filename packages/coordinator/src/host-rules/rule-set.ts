import type { HostKey, RefusedReason } from '@webfarer/protocol';
import type { HostRule, OptOut } from '@webfarer/protocol/crawl';
import { formatDuration } from '@webfarer/protocol/job';
import { patternsOf } from '@webfarer/protocol/url';

/** What holds for a host in all crawls. */
export type Ruling =
  /** No request may be made. */
  | { kind: 'refuse'; reason: Extract<RefusedReason, 'blocked' | 'opt-out'>; rule: string }
  /** The pause between two requests is at least this long. */
  | { kind: 'gap'; gapMs: number; rule: string };

/** Rules by their patterns, as `hostPattern` writes them. */
export interface RuleTable {
  rules: ReadonlyMap<string, HostRule>;
  optOuts: ReadonlyMap<string, OptOut>;
}

export const noRules: RuleTable = { rules: new Map(), optOuts: new Map() };

/**
 * What the table says about a host. An opt-out of any pattern that fits comes before everything else; then the most
 * specific rule that says something of blocking decides that, and the most specific one that has a gap decides that.
 */
export function rulingOf({ rules, optOuts }: RuleTable, host: HostKey): Ruling | undefined {
  if (rules.size === 0 && optOuts.size === 0) return undefined;
  let block: Ruling | false | undefined;
  let gap: Ruling | undefined;
  for (const pattern of patternsOf(host)) {
    const out = optOuts.get(pattern);
    if (out) return { kind: 'refuse', reason: 'opt-out', rule: optOutText(pattern, out) };
    const rule = rules.get(pattern);
    if (!rule) continue;
    if (rule.block !== undefined && block === undefined)
      block = rule.block && { kind: 'refuse', reason: 'blocked', rule: ruleText(pattern, rule) };
    if (rule.gapMs !== undefined && !gap)
      gap = { kind: 'gap', gapMs: rule.gapMs, rule: ruleText(pattern, rule) };
  }
  return block || gap;
}

function ruleText(pattern: string, { block, gapMs, note, by }: HostRule): string {
  const what = block ? 'blocks it' : `asks for ${formatDuration(gapMs ?? 0)} between requests`;
  return `the host rule ${pattern} ${what}, set by ${by}${note === undefined ? '' : `: ${note}`}`;
}

function optOutText(pattern: string, { date, reason, by }: OptOut): string {
  return `the owner of ${pattern} opted out on ${date}, recorded by ${by}: ${reason}`;
}
