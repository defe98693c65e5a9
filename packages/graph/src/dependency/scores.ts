import { countTargets, type TargetCounts } from './counts.ts';
import type { PageGraph } from './page-graph.ts';
import type { Level, TargetGroups } from './target-groups.ts';
import { damping, type WalkPlan, type WalkState } from './walk.ts';

/** How the walks that began at a source ended. The four parts of them sum to 1. */
export interface SourceScore {
  level: Level;
  source: string;
  /** Pages on which the reader may begin. */
  pages: number;
  leaves: number;
  stopped: number;
  ended: number;
  lost: number;
  /** Targets it leads to in all, and what is not among `dependencies` of the share. */
  targets: number;
  rest: number;
  /** With at least the threshold's share, largest first. */
  dependencies: Dependency[];
}

export interface Dependency extends TargetCounts {
  target: string;
  share: number;
}

export interface ScoreOptions {
  level: Level;
  source: string;
  threshold: number;
  graph: PageGraph;
  groups: TargetGroups;
  plan: WalkPlan;
  /** Pages on which the reader began. */
  from: number;
}

/** Shares of a walk that is over. */
export function scoreWalk({ visits }: WalkState, options: ScoreOptions): SourceScore {
  const { level, source, threshold, graph, groups, plan, from } = options;
  const out = waysOut(graph, groups, plan, visits);
  const leaves = sum(out);
  const kept = [...out.keys()]
    .filter((name) => (out[name] as number) > 0 && (out[name] as number) / leaves >= threshold)
    .toSorted(
      (a, b) => (out[b] as number) - (out[a] as number) || (groups.names[a]! < groups.names[b]! ? -1 : 1),
    );
  const counts = countTargets(graph, groups, kept);
  const dependencies = kept.map((name, n) => ({
    target: groups.names[name] as string,
    share: (out[name] as number) / leaves,
    ...(counts[n] as TargetCounts),
  }));
  const isKept = new Set(kept);
  const others = out.filter((_, name) => !isKept.has(name));
  return {
    level,
    source,
    pages: from,
    leaves,
    ...otherEnds(graph, plan, visits),
    targets: out.reduce((count, part) => count + (part > 0 ? 1 : 0), 0),
    rest: leaves > 0 ? sum(others) / leaves : 0,
    dependencies,
  };
}

/** Readers who left to each name. */
function waysOut(
  { exits }: PageGraph,
  groups: TargetGroups,
  { rate }: WalkPlan,
  visits: Float64Array,
): Float64Array {
  const out = new Float64Array(groups.names.length);
  for (let page = 0; page < exits.nodes; page++) {
    const each = (visits[page] as number) * (rate[page] as number);
    const end = exits.offsets[page + 1] as number;
    for (let e = exits.offsets[page] as number; e < end; e++)
      out[groups.of[exits.targets[e] as number] as number]! += each;
  }
  return out;
}

function otherEnds({ lost: lostLinks }: PageGraph, { rate }: WalkPlan, visits: Float64Array) {
  let [stopped, ended, lost] = [0, 0, 0];
  visits.forEach((readers, page) => {
    if (rate[page] === 0) ended += readers;
    else stopped += readers * (1 - damping);
    lost += readers * (rate[page] as number) * (lostLinks[page] as number);
  });
  return { stopped, ended, lost };
}

function sum(numbers: Float64Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}
