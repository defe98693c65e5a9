import { act } from './actions.ts';
import { type Scene, StepProblem } from './scene.ts';
import { nameOf, type ReadyStep } from './step.ts';

/** The steps of a page while they are done. */
export interface StepsRun {
  /** What went wrong; undefined: all were done. Rejects where the browser is gone. */
  done: Promise<string | undefined>;
  /** The step that is under way. */
  current(): string;
}

/** Of what a browser says about a step, in characters. */
const maxDetail = 200;

/** Does all steps in their order, up to the first that fails and must not. */
export function runSteps(scene: Scene, steps: readonly ReadyStep[]): StepsRun {
  let name = '';

  async function run(): Promise<string | undefined> {
    for (const [i, step] of steps.entries()) {
      const left = scene.left();
      // It went elsewhere by itself, before anything was done: that is a redirect, with or without steps.
      if (left && i === 0) return undefined;
      if (left)
        return `${name} led to ${left.url}, and ${nameOf(step)} was still to be done: put it into a rule for that page`;
      name = nameOf(step);
      if (scene.leftMs() <= 0) return `${name}: the page's time was up`;
      const problem = await tried(step);
      if (problem !== undefined && !step.optional) return `${name}: ${problem}`;
    }
    const left = scene.left();
    // It has no address that could be asked for, so it can be no page of its own.
    return left && left.method !== 'GET' ? `${name} led to ${left.url} by ${left.method}` : undefined;
  }

  async function tried(step: ReadyStep): Promise<string | undefined> {
    try {
      await act(scene, step);
      return undefined;
    } catch (error) {
      if (error instanceof StepProblem) return error.message;
      if (scene.page.isClosed()) throw error;
      return saidBy(error as Error, step);
    }
  }

  return { done: run(), current: () => name };
}

/** The first line alone: those behind it tell what was typed. */
function saidBy({ message, name: kind }: Error, { timeoutMs, action }: ReadyStep): string {
  if (kind === 'TimeoutError')
    return `it could not be done within ${timeoutMs === undefined ? 'the time of the page' : `${timeoutMs} ms`}`;
  if (action.kind === 'type') return 'the field does not take this text';
  const line = message.split('\n', 1)[0] ?? '';
  return line.replace(/^\w+(?:\.\w+)*: /, '').slice(0, maxDetail);
}
