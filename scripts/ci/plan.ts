import { createHash } from 'node:crypto';
import type { History } from './history.ts';
import { type Ledger, provenAt } from './ledger.ts';
import type { Part } from './parts.ts';
import { type Seconds, weightOf } from './seconds.ts';

/** A part whose last proof is more commits old is due, whatever changed. */
export const stale = 200;
/** Any four runs in a row have run everything: see docs/ci.md for what "in a row" means. */
export const turns = 4;

export interface Plan {
  /** Which of the four parts of the rest is first in turn, from 0. */
  turn: number;
  /** Why everything runs; undefined where parts were selected. */
  whole: string | undefined;
  /** What runs, with the reason. */
  chosen: ReadonlyMap<Part, string>;
  left: Part[];
}

export interface PlanInput {
  parts: readonly Part[];
  ledger: Ledger;
  history: Pick<History, 'count' | 'missing' | 'changedSince' | 'ageOf'>;
  seconds: Seconds;
  /** Why everything is asked for. */
  all?: string | undefined;
  /** A counter of runs that whoever starts them keeps; without it the count of commits stands for it. */
  runNumber?: number | undefined;
}

export function makePlan({ parts, ledger, history, seconds, all, runNumber }: PlanInput): Plan {
  const turn = (runNumber ?? history.count) % turns;
  const since = all === undefined ? changesOf(ledger, history) : new Map<string, Change>();
  const whole =
    all ??
    history.missing ??
    (typeof since === 'string' ? since : undefined) ??
    (ledger.runs.length === 0 ? 'no run is recorded' : undefined);
  if (whole !== undefined || typeof since === 'string')
    return { turn, whole, chosen: new Map(parts.map((part) => [part, 'everything'])), left: [] };
  const proven = provenAt(ledger);
  const changeOf = (part: Part) => since.get(proven.get(part.id) ?? '');
  const inTurn = new Set(
    (['proof', 'bench', 'test'] as const).flatMap((kind) => {
      const rest = parts.filter((part) => part.kind === kind && !isAlways(part));
      return rotating(rest, { age: (part) => changeOf(part)?.age ?? Infinity, seconds, turn });
    }),
  );
  const chosen = new Map<Part, string>();
  for (const part of parts) {
    const reason = isAlways(part)
      ? 'core'
      : (dueBy(part, changeOf(part)) ?? (inTurn.has(part) ? 'its turn' : undefined));
    if (reason !== undefined) chosen.set(part, reason);
  }
  return { turn, whole: undefined, chosen, left: parts.filter((part) => !chosen.has(part)) };
}

const isAlways = ({ core, gate }: Part) => core || gate;

interface Change {
  /** Commits since then. */
  age: number;
  files: string[];
}

/** What changed since each commit of the ledger, or why that cannot be said. */
function changesOf({ runs }: Ledger, history: PlanInput['history']): Map<string, Change> | string {
  const since = new Map<string, Change>();
  if (history.missing !== undefined) return history.missing;
  for (const { commit } of runs) {
    const files = history.changedSince(commit);
    if (files === undefined) return `.ci/proven names ${commit.slice(0, 8)}, which is not in the history`;
    since.set(commit, { age: history.ageOf(commit), files });
  }
  return since;
}

function dueBy(part: Part, change: Change | undefined): string | undefined {
  if (change === undefined) return 'never proven, or failed last';
  const near = change.files.filter((path) => part.isNear(path));
  if (near.length > 0) return `changed: ${near[0]}${near.length > 1 ? ` and ${near.length - 1} more` : ''}`;
  return change.age > stale ? `proven ${change.age} commits ago` : undefined;
}

/**
 * A quarter of the parts by their seconds: those proven longest ago and, of those proven together, the quarter whose turn
 * it is. So four recorded runs in a row renew everything, whatever lands between them; and where nothing is recorded
 * since a whole run, four turns in a row do.
 */
function rotating(
  parts: readonly Part[],
  { age, seconds, turn }: { age(part: Part): number; seconds: Seconds; turn: number },
): Part[] {
  const quarters = quartersOf(seconds);
  const wait = (part: Part) => (quarters(part.id) - turn + turns) % turns;
  const cost = (part: Part) => weightOf(seconds[part.id]);
  const oldest = Math.max(...parts.map(age));
  const ordered = parts.toSorted(
    (a, b) => age(b) - age(a) || wait(a) - wait(b) || cost(a) - cost(b) || (a.id < b.id ? -1 : 1),
  );
  const enough = ordered.reduce((sum, part) => sum + cost(part), 0) / turns;
  let taken = 0;
  return ordered.filter((part) => {
    const isTaken = taken < enough || (age(part) === oldest && wait(part) === 0);
    if (isTaken) taken += cost(part);
    return isTaken;
  });
}

/**
 * Quarters that take about equally long. They depend on the recorded seconds alone, which only whole runs write: a part
 * that is added or removed in between moves no other to another quarter.
 */
function quartersOf(seconds: Seconds): (id: string) => number {
  const sums = { prove: [0, 0, 0, 0], bench: [0, 0, 0, 0], test: [0, 0, 0, 0] };
  const quarter = new Map<string, number>();
  const byCost = Object.entries(seconds).toSorted(
    ([a, x], [b, y]) => weightOf(y) - weightOf(x) || (a < b ? -1 : 1),
  );
  for (const [id, took] of byCost) {
    const sum = sums[id.startsWith('prove ') ? 'prove' : id.startsWith('bench ') ? 'bench' : 'test'];
    const least = sum.indexOf(Math.min(...sum));
    sum[least] = (sum[least] ?? 0) + weightOf(took);
    quarter.set(id, least);
  }
  return (id) => quarter.get(id) ?? createHash('sha256').update(id).digest().readUInt32BE(0) % turns;
}
