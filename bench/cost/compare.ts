import { type FigureName, figureNames } from './figures.ts';
import { isKept, type Judgement, judge, type Pair } from './judge.ts';
import { atOnce, openParts, type TrialName } from './parts.ts';
import type { Side } from './side.ts';
import type { Trial } from './trials.ts';

/** Rounds that are always run, however busy the machine is; more only while time is left. */
const fewestRounds = 2;
/** Of the trial that shows a loss first, if it is not decided sooner. */
const fewestOfTiny = 8;
const mostRounds = 12;

export interface Comparison {
  commands: Record<Side['name'], string>;
  only: ReadonlySet<TrialName>;
  under: string;
  /** The least ratio that each figure may have. */
  least(name: FigureName): number;
  /** When no further round is begun. */
  budgetMs: number;
  quick: boolean;
  /** Stops at the first figure that is surely lost: no further round would change the verdict. */
  untilLost: boolean;
}

export interface Compared extends Judgement {
  name: FigureName;
  pairs: Pair[];
  least: number;
  kept: boolean;
}

/** Measures both sides at the same time, so that what else the machine does weighs on both alike. */
export async function compare(comparison: Comparison): Promise<Compared[]> {
  const { commands, only, under, budgetMs, quick, untilLost } = comparison;
  const startedMs = performance.now();
  const pairs = new Map<FigureName, Pair[]>();
  const judgeOf = (name: FigureName) => judge(pairs.get(name) ?? [], comparison.least(name));
  const parts = await openParts(commands, only, under);
  const rounds = new Map<Trial, number>();
  const undecided = new Set<Trial>();
  const measure = async (trial: Trial): Promise<void> => {
    const round = (rounds.get(trial) ?? 0) + 1;
    rounds.set(trial, round);
    const { here, base } = await atOnce(parts.sides, round, (side) => trial.run(side, round));
    const names = figureNames.filter((name) => here[name] !== undefined);
    for (const name of names) {
      const pair = { here: here[name] ?? Number.NaN, base: base[name] ?? Number.NaN };
      pairs.set(name, [...(pairs.get(name) ?? []), pair]);
      show(name, pair, judgeOf(name));
    }
    const decided = names.every((name) => judgeOf(name).verdict !== 'open');
    if (decided || round >= mostRounds) undecided.delete(trial);
    else undecided.add(trial);
  };
  const lost = () => untilLost && [...pairs.keys()].some((name) => judgeOf(name).verdict === 'lost');
  const isTime = () => !quick && performance.now() - startedMs < budgetMs;
  try {
    for (const trial of parts.trials) {
      const fewest = trial === parts.tiny ? fewestOfTiny : fewestRounds;
      const isOpen = () =>
        !rounds.has(trial) || (rounds.get(trial) ?? 0) < fewestRounds || undecided.has(trial);
      for (let round = 0; round < (quick ? 1 : fewest) && isOpen() && !lost(); round++) await measure(trial);
      if (parts.waiting && !lost()) await measure(parts.waiting);
    }
    while (undecided.size > 0 && isTime() && !lost())
      for (const trial of undecided) if (isTime() && !lost()) await measure(trial);
  } finally {
    await parts.close();
  }
  return [...pairs].map(([name, ofName]) => {
    const least = comparison.least(name);
    const judged = judgeOf(name);
    return { name, ...judged, pairs: ofName, least, kept: isKept(judged) };
  });
}

function show(name: FigureName, { here, base }: Pair, { ratio, error, verdict }: Judgement): void {
  const figures = `${here.toFixed(1)} to ${base.toFixed(1)}`;
  console.error(`  ${name}: ${figures}; so far ${ratio.toFixed(3)} ± ${error.toFixed(3)}, ${verdict}`);
}
