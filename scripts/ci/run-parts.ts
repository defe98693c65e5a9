import type { Part } from './parts.ts';
import { endOf, type Ran, type RunStep, type Step, timedOut } from './step.ts';

/** What a run found, part by part. */
export interface Results {
  /** Whether it held, by id of a part or name of a step. */
  readonly judged: ReadonlyMap<string, boolean>;
  /** Failed beside others and held alone. They pass, but prove nothing: each run takes them until they hold beside others. */
  readonly flickered: ReadonlySet<string>;
  readonly took: ReadonlyMap<string, { wall: number; cpu: number }>;
}

export interface Stage {
  runStep: RunStep;
  print(line: string): void;
}

interface Task {
  id: string;
  step: Step;
  /** Whether it held; undefined where it must be judged again when nothing else runs. */
  judge(ran: Ran): boolean | undefined;
  note?: string;
}

/** Not judged: a wait of the proof ran out, or a server of its own did not start. */
const noJudgement = 3;
const byStatus = ({ status }: Ran) => status === 0;
/** More failures than these are no accident of proofs that disturb each other. */
const maxDoubted = 3;

/** Runs proofs and benches in an order that keeps the machine busy and lets none disturb what another judges. */
export async function runParts(parts: readonly Part[], stage: Stage): Promise<Results> {
  const run = new PartsRun(stage);
  const of = (kind: Part['kind']) => parts.filter((part) => part.kind === kind);
  const proofs = of('proof');
  const beside = proofs.filter(({ rated, alone }) => !rated && !alone);
  const longFirst = [...beside.filter(({ long }) => long), ...beside.filter(({ long }) => !long)];
  const smokes = of('bench').filter(({ gate }) => !gate);
  await run.all([...longFirst.map(proof), ...smokes.map(smoke)], 4);
  await run.all(proofs.filter(({ rated, alone }) => rated && !alone).map(ratedProof), 2);
  await run.all(proofs.filter(({ alone }) => alone).map(aloneProof), 1);
  await run.all(
    of('bench')
      .filter(({ gate }) => gate)
      .map(gate),
    1,
  );
  await run.all(run.unjudged.map(again), 1);
  await run.doubt(longFirst);
  return run;
}

/** Runs steps that are no parts beside each other. */
export async function runSteps(steps: readonly Step[], stage: Stage): Promise<Results> {
  const run = new PartsRun(stage);
  await run.all(
    steps.map((step) => ({ id: step.name, step, judge: byStatus })),
    steps.length,
  );
  return run;
}

class PartsRun implements Results {
  readonly judged = new Map<string, boolean>();
  readonly took = new Map<string, { wall: number; cpu: number }>();
  readonly unjudged: Task[] = [];
  readonly flickered = new Set<string>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** At most `width` at a time, begun in their order. */
  async all(tasks: readonly Task[], width: number): Promise<void> {
    const waiting = [...tasks];
    const work = async () => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await this.#one(task);
    };
    await Promise.all(Array.from({ length: Math.min(width, tasks.length) }, work));
  }

  /** Runs those that failed again, alone, where they are few. */
  async doubt(parts: readonly Part[]): Promise<void> {
    const unjudged = new Set(this.unjudged.map(({ id }) => id));
    const doubted = parts.filter(({ id }) => this.judged.get(id) === false && !unjudged.has(id));
    if (doubted.length > maxDoubted) return;
    await this.all(
      doubted.map((part) => again(proof(part))),
      1,
    );
    for (const { id } of doubted) {
      if (this.judged.get(id) !== true) continue;
      this.flickered.add(id);
      this.#stage.print(`FLICKERED  ${id}: failed beside others, held alone`);
    }
  }

  async #one(task: Task): Promise<void> {
    const ran = await this.#stage.runStep(task.step);
    const held = task.judge(ran);
    this.took.set(task.id, { wall: ran.wall, cpu: ran.cpu });
    const text = stepLines(task.step.name, ran, { held: held === true, note: task.note });
    this.#stage.print(text.join('\n'));
    if (held === undefined) this.unjudged.push(task);
    else this.judged.set(task.id, held);
  }
}

/** What is printed of a step: one line, and the end of its log where it failed. */
export function stepLines(
  name: string,
  ran: Ran,
  { held, note = '' }: { held: boolean; note?: string | undefined },
): string[] {
  const took = `${Math.round(ran.wall)} s  (CPU ${Math.round(ran.cpu)} s)${note}`;
  return held
    ? [`ok      ${name}  ${took}`]
    : [`FAILED  ${name}  ${took}  (exit ${ran.status})`, ...endOf(ran.log)];
}

function proofStep(part: Part, limitSeconds: number): Step {
  return { name: part.id, limitSeconds, command: ['node', 'test/prove.ts', nameOf(part), '--quick'] };
}

/** One that came to no judgement is run again when nothing else runs. */
function proof(part: Part): Task {
  const isUnjudged = (status: number) => status === noJudgement || status === timedOut;
  return {
    id: part.id,
    step: proofStep(part, 1500),
    judge: ({ status }) => (isUnjudged(status) ? undefined : status === 0),
  };
}

/** What holds beside one other holds; what does not is judged when nothing else runs. */
function ratedProof(part: Part): Task {
  return {
    id: part.id,
    step: proofStep(part, 600),
    judge: ({ status }) => (status === 0 ? true : undefined),
  };
}

function aloneProof(part: Part): Task {
  return { id: part.id, step: proofStep(part, 600), judge: byStatus };
}

function again({ id, step }: Task): Task {
  return { id, step: { ...step, name: `${step.name}, alone`, limitSeconds: 1200 }, judge: byStatus };
}

/** A bench as smoke: it must run to its line of figures; on a busy machine they are not judged. */
function smoke(part: Part): Task {
  return {
    id: part.id,
    step: { name: part.id, limitSeconds: 300, command: ['node', 'bench/bench.ts', nameOf(part), '--quick'] },
    note: '  (smoke)',
    judge: ({ log }) => hasFigures(log.trimEnd().split('\n').at(-1) ?? ''),
  };
}

/** An error inside the figures is what was measured: a client of others that fails, for one. */
function hasFigures(line: string): boolean {
  try {
    const { sizes, error } = JSON.parse(line) as { sizes?: unknown; error?: unknown };
    return sizes !== undefined && error === undefined;
  } catch {
    return false;
  }
}

/** A bench that judges by ratios that hold on any machine: it decides. */
function gate(part: Part): Task {
  const command = ['node', 'bench/bench.ts', nameOf(part), ...(part.short ? ['--quick'] : [])];
  return {
    id: part.id,
    step: { name: part.id, limitSeconds: 1200, command },
    judge: byStatus,
  };
}

function nameOf({ id }: Part): string {
  return id.slice(id.indexOf(' ') + 1);
}
