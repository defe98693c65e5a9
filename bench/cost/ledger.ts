import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FigureName } from './figures.ts';

/** A loss that needs no reason: less cannot be told from none on a busy machine. */
export const usualLeast = 0.95;
/** A figure counts as no worse than before within so many standard errors. */
const errorsAllowed = 2;

export interface Entry {
  /**
   * As measured when it was recorded, for people; null: not yet. The verdict comes from running both commits.
   */
  value: number | null;
  /** The least ratio of the ledger's commit to this tree. */
  least: number;
  /** `decision NNNN`: why more than usual may be lost. */
  because?: string;
}

/** What a commit cost. Every later commit is compared with it. */
export interface Ledger {
  commit: string;
  figures: Record<FigureName, Entry>;
}

const path = join(import.meta.dirname, '../ledger.json');

export function readLedger(): Ledger {
  return JSON.parse(readFileSync(path, 'utf8')) as Ledger;
}

export function writeLedger(ledger: Ledger): void {
  writeFileSync(path, `${JSON.stringify(ledger, null, 2)}\n`);
}

interface Measured {
  value: number;
  ratio: number;
  error: number;
}

/** The ledger with new values at a new commit, or the figures that are worse than before without a decision, or missing. */
export function improved(
  before: Ledger,
  commit: string,
  measured: ReadonlyMap<FigureName, Measured>,
): { ledger: Ledger } | { worse: FigureName[] } {
  const names = Object.keys(before.figures) as FigureName[];
  const worse = names.filter((name) => {
    const { least, because } = before.figures[name];
    const found = measured.get(name);
    if (!found || !(found.ratio >= least)) return true;
    return because === undefined && found.ratio < 1 - errorsAllowed * found.error;
  });
  if (worse.length > 0) return { worse };
  const entries = names.map((name) => {
    const { least, because, value } = before.figures[name];
    // What a decision allowed to be lost is part of the new values.
    const kept = because === undefined ? least : usualLeast;
    return [name, { value: measured.get(name)?.value ?? value, least: kept }];
  });
  return { ledger: { commit, figures: Object.fromEntries(entries) as Ledger['figures'] } };
}

/** The figures that may lose more than usual without a decision that exists. */
export function reasonless({ figures }: Ledger, decisions: readonly string[]): FigureName[] {
  return (Object.keys(figures) as FigureName[]).filter((name) => {
    const { least, because } = figures[name];
    const number = /^decision (\d{4})$/.exec(because ?? '')?.[1];
    return least < usualLeast && !(number !== undefined && decisions.some((file) => file.startsWith(number)));
  });
}
