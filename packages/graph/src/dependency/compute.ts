import type { PageGraph } from './page-graph.ts';
import { inputName } from './job-content.ts';
import { scoreWalk, type SourceScore } from './scores.ts';
import { type Source, sourcesOf } from './sources.ts';
import { groupTargets, type Level, levels, type TargetGroups } from './target-groups.ts';
import { beginWalk, isOver, leadsOut, planWalk, walkRound, type WalkPlan, type WalkState } from './walk.ts';

/** How far the computation of a job has come: sources that are done with, and the walk of the next. */
export interface Progress {
  scores: SourceScore[];
  source: number;
  walk: WalkState | undefined;
}

/** Where progress is kept, if anywhere. Only progress of the same input may be handed back. */
export interface Checkpoint {
  load(input: string): Promise<Progress | undefined>;
  save(input: string, progress: Progress): Promise<void>;
}

export interface ComputeOptions {
  threshold: number;
  /** Called between bounded pieces of work; resolves when it may continue. */
  rest?: () => Promise<void> | undefined;
  checkpoint?: Checkpoint;
}

/** All dependencies of one job. Needs nothing but the graph, and gives the same bits for it everywhere. */
export async function computeJob(graph: PageGraph, options: ComputeOptions): Promise<SourceScore[]> {
  const { threshold, checkpoint } = options;
  const input = `${inputName(graph)}/${threshold}`;
  const sources = sourcesOf(graph);
  const plan = planWalk(graph);
  const groups = new Map(levels.map((level) => [level, groupTargets(graph.targets, level)]));
  const progress: Progress = (await checkpoint?.load(input)) ?? { scores: [], source: 0, walk: undefined };
  for (let source = sources[progress.source]; source; source = sources[++progress.source]) {
    progress.walk ??= beginWalk(plan, source.pages);
    await walkToEnd({ graph, plan, source, input, progress }, options);
    for (const { level, name } of source.levels) {
      const about = {
        level,
        source: name,
        from: source.pages.length,
        groups: groups.get(level) as TargetGroups,
      };
      progress.scores.push(scoreWalk(progress.walk, { threshold, graph, plan, ...about }));
      await options.rest?.();
    }
    progress.walk = undefined;
  }
  return progress.scores.toSorted((a, b) => order(a) - order(b) || (a.source < b.source ? -1 : 1));
}

function order({ level }: { level: Level }): number {
  return levels.indexOf(level);
}

interface Walking {
  graph: PageGraph;
  plan: WalkPlan;
  source: Source;
  input: string;
  progress: Progress;
}

async function walkToEnd(
  { graph, plan, source, input, progress }: Walking,
  { rest, checkpoint }: ComputeOptions,
): Promise<void> {
  const canLeave = leadsOut(graph, plan, source.pages);
  while (progress.walk && !isOver(progress.walk, canLeave)) {
    const round = walkRound(plan, progress.walk);
    let step = round.next();
    while (!step.done) {
      await rest?.();
      step = round.next();
    }
    progress.walk = step.value;
    await checkpoint?.save(input, progress);
    await rest?.();
  }
}
