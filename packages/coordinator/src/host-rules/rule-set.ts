import type { HostKey, RefusedReason } from '@webfarer/protocol';
import type { HostRule, OptOut } from '@webfarer/protocol/crawl';
import { formatDuration } from '@webfarer/protocol/job';
import { patternsOf } from '@webfarer/protocol/url';

/** What holds for a host. */
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

/** The rules for all crawls, and those that teams set for their own. */
export interface RuleTables {
  all: RuleTable;
  teams: ReadonlyMap<string, RuleTable>;
}

export const noTable: RuleTable = { rules: new Map(), optOuts: new Map() };
export const noRules: RuleTables = { all: noTable, teams: new Map() };

/**
 * What holds for a host in the crawls of a team; without a team, in all crawls. A team can only be stricter than the rules
 * for all: its exceptions are exceptions to its own rules.
 */
export function rulingOf({ all, teams }: RuleTables, host: HostKey, team?: string): Ruling | undefined {
  const common = rulingIn(all, host, undefined);
  const own = team === undefined ? undefined : teams.get(team);
  return own === undefined ? common : stricter(common, rulingIn(own, host, team));
}

/** An opt-out comes before a block, a block before a pause, a longer pause before a shorter one. */
function stricter(a: Ruling | undefined, b: Ruling | undefined): Ruling | undefined {
  if (!a || !b) return a ?? b;
  if (a.kind === 'gap') return b.kind === 'refuse' || b.gapMs > a.gapMs ? b : a;
  return b.kind === 'refuse' && b.reason === 'opt-out' && a.reason !== 'opt-out' ? b : a;
}

/**
 * What one table says about a host. An opt-out of any pattern that fits comes before everything else; then the most
 * specific rule that says something of blocking decides that, and the most specific one that has a gap decides that.
 */
function rulingIn(
  { rules, optOuts }: RuleTable,
  host: HostKey,
  team: string | undefined,
): Ruling | undefined {
  if (rules.size === 0 && optOuts.size === 0) return undefined;
  let block: Ruling | false | undefined;
  let gap: Ruling | undefined;
  for (const pattern of patternsOf(host)) {
    const whose = team === undefined ? pattern : `${pattern} of the team ${team}`;
    const out = optOuts.get(pattern);
    if (out) return { kind: 'refuse', reason: 'opt-out', rule: optOutText(pattern, out, team) };
    const rule = rules.get(pattern);
    if (!rule) continue;
    if (rule.block !== undefined && block === undefined)
      block = rule.block && { kind: 'refuse', reason: 'blocked', rule: ruleText(whose, rule) };
    if (rule.gapMs !== undefined && !gap)
      gap = { kind: 'gap', gapMs: rule.gapMs, rule: ruleText(whose, rule) };
  }
  return block || gap;
}

function ruleText(whose: string, { block, gapMs, note, by }: HostRule): string {
  const what = block ? 'blocks it' : `asks for ${formatDuration(gapMs ?? 0)} between requests`;
  return `the host rule ${whose} ${what}, set by ${by}${note === undefined ? '' : `: ${note}`}`;
}

function optOutText(pattern: string, { date, reason, by }: OptOut, team: string | undefined): string {
  const whom = team === undefined ? '' : ` of the crawls of the team ${team}`;
  return `the owner of ${pattern} opted out${whom} on ${date}, recorded by ${by}: ${reason}`;
}
