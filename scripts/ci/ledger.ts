/** At which commits parts held last: `.ci/proven`, which runs write and developers commit. */
export interface Ledger {
  runs: ProvenRun[];
}

export interface ProvenRun {
  commit: string;
  /** Day of the run, for readers. */
  date: string;
  /** Parts that have not held since in a later run. */
  parts: string[];
}

export interface Outcome {
  commit: string;
  date: string;
  held: readonly string[];
  failed: readonly string[];
}

export const noLedger: Ledger = { runs: [] };

export function readLedger(text: string): Ledger {
  const { runs } = JSON.parse(text) as Ledger;
  const isRun = ({ commit, date, parts }: ProvenRun) =>
    /^[0-9a-f]{40}$/.test(commit) && typeof date === 'string' && Array.isArray(parts);
  if (!Array.isArray(runs) || !runs.every(isRun))
    throw new Error('not a list of runs with commit, date and parts');
  return { runs };
}

export function ledgerText(ledger: Ledger): string {
  return `${JSON.stringify(ledger, null, 1)}\n`;
}

export function provenAt({ runs }: Ledger): ReadonlyMap<string, string> {
  return new Map(runs.flatMap(({ commit, parts }) => parts.map((part) => [part, commit])));
}

/**
 * What held is proven at the commit of the run. What failed is proven nowhere any more: it is due in each run until it
 * holds, even where nothing near it changes. Parts that no longer exist are dropped.
 */
export function recorded({ runs }: Ledger, outcome: Outcome, existing: ReadonlySet<string>): Ledger {
  const { commit, date, held, failed } = outcome;
  const judged = new Set([...held, ...failed]);
  const kept = runs.map((run) => ({
    ...run,
    parts: run.parts.filter((part) => existing.has(part) && !judged.has(part)),
  }));
  const all = [...kept, { commit, date, parts: [...held].toSorted() }];
  return { runs: all.filter(({ parts }) => parts.length > 0) };
}
