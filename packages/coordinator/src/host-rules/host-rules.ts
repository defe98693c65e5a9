import type { HostKey } from '@webfarer/protocol';
import { readHostRule, readOptOut } from '@webfarer/protocol/crawl';
import { noRules, type Ruling, rulingOf, type RuleTable } from './rule-set.ts';

/** What operators and site owners decided about hosts, as far as this coordinator has heard. */
export interface HostRules {
  /** What holds for the host in all crawls. */
  of(host: HostKey): Ruling | undefined;
  isEmpty(): boolean;
  table(): RuleTable;
  /** Called with the patterns whose rules have changed, once the new ones hold. */
  onChange(listener: (patterns: readonly string[]) => void): () => void;
}

/** Rules that somebody sets: those of a test, or what a watch has read. */
export interface SettableRules extends HostRules {
  /** In place of all rules that hold now. */
  set(table: RuleTable): void;
}

export function settableRules(): SettableRules {
  let table: RuleTable = noRules;
  const listeners = new Set<(patterns: readonly string[]) => void>();
  return {
    of: (host) => rulingOf(table, host),
    isEmpty: () => table.rules.size === 0 && table.optOuts.size === 0,
    table: () => table,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      const changed = changedPatterns(table, next);
      table = next;
      if (changed.length > 0) for (const listener of listeners) listener(changed);
    },
  };
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

/** The documents of a registry as a table. A rule that cannot be read is left out, an opt-out never is. */
export function tableOf(docs: { rules: readonly KeptDoc[]; optOuts: readonly KeptDoc[] }): RuleTable {
  const rules = new Map(
    docs.rules.flatMap(({ id, value }) => {
      const rule = readHostRule(value);
      return rule ? [[id, rule] as const] : [];
    }),
  );
  return { rules, optOuts: new Map(docs.optOuts.map(({ id, value }) => [id, readOptOut(value)] as const)) };
}

interface KeptDoc {
  /** The pattern. */
  id: string;
  value: unknown;
}
