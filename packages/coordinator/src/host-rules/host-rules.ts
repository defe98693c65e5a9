import type { HostKey } from '@webfarer/protocol';
import { type HostRule, type OptOut, readHostRule, readOptOut } from '@webfarer/protocol/crawl';
import { ruleIn } from './rule-id.ts';
import { noRules, noTable, type Ruling, rulingOf, type RuleTable, type RuleTables } from './rule-set.ts';

/** What operators and site owners decided about hosts, as far as this coordinator has heard. */
export interface HostRules {
  /** What holds for the host in the crawls of a team; without a team, in all crawls. */
  of(host: HostKey, team?: string): Ruling | undefined;
  /** No rule holds in the crawls of a team. */
  isEmpty(team: string): boolean;
  /** The rules for all crawls. */
  table(): RuleTable;
  /** Called once the new rules hold. */
  onChange(listener: (change: RuleChange) => void): () => void;
}

export interface RuleChange {
  /** Of rules for all crawls. */
  patterns: readonly string[];
  /** Teams whose own rules have changed. */
  teams: readonly string[];
}

/** Rules that somebody sets: those of a test, or what a watch has read. */
export interface SettableRules extends HostRules {
  /** In place of all rules that hold now. */
  set(tables: RuleTables): void;
}

export function settableRules(): SettableRules {
  let tables: RuleTables = noRules;
  const listeners = new Set<(change: RuleChange) => void>();
  return {
    of: (host, team) => rulingOf(tables, host, team),
    isEmpty: (team) => isEmpty(tables.all) && isEmpty(tables.teams.get(team)),
    table: () => tables.all,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      const change = changeBetween(tables, next);
      tables = next;
      if (change.patterns.length + change.teams.length > 0) for (const tell of listeners) tell(change);
    },
  };
}

function isEmpty(table: RuleTable | undefined): boolean {
  return table === undefined || (table.rules.size === 0 && table.optOuts.size === 0);
}

function changeBetween(before: RuleTables, after: RuleTables): RuleChange {
  const teams = [...new Set([...before.teams.keys(), ...after.teams.keys()])];
  const hasChanged = (team: string) =>
    changedPatterns(before.teams.get(team) ?? noTable, after.teams.get(team) ?? noTable).length > 0;
  return { patterns: changedPatterns(before.all, after.all), teams: teams.filter(hasChanged) };
}

/** Patterns whose rule or opt-out differs between two tables. */
function changedPatterns(before: RuleTable, after: RuleTable): string[] {
  const changed = new Set<string>();
  for (const kind of ['rules', 'optOuts'] as const) {
    for (const pattern of new Set([...before[kind].keys(), ...after[kind].keys()])) {
      const [old, now] = [before[kind].get(pattern), after[kind].get(pattern)];
      if (JSON.stringify(old) !== JSON.stringify(now)) changed.add(pattern);
    }
  }
  return [...changed];
}

/** The documents of a registry as tables. A rule that cannot be read is left out, an opt-out never is. */
export function tablesOf(docs: { rules: readonly KeptDoc[]; optOuts: readonly KeptDoc[] }): RuleTables {
  const newTable = () => ({ rules: new Map<string, HostRule>(), optOuts: new Map<string, OptOut>() });
  const all = newTable();
  const teams = new Map<string, typeof all>();
  function tableFor(team: string | undefined): typeof all {
    if (team === undefined) return all;
    const table = teams.get(team) ?? newTable();
    teams.set(team, table);
    return table;
  }
  for (const { id, value } of docs.rules) {
    const { match, team } = ruleIn(id);
    const rule = readHostRule(value);
    if (rule) tableFor(team).rules.set(match, rule);
  }
  for (const { id, value } of docs.optOuts) {
    const { match, team } = ruleIn(id);
    tableFor(team).optOuts.set(match, readOptOut(value));
  }
  return { all, teams };
}

interface KeptDoc {
  /** See `ruleId`. */
  id: string;
  value: unknown;
}
