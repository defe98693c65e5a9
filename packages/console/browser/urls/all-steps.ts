/** How far a change of many URLs has come. */
export interface StepsDone {
  moved: number;
  searched: number;
  isWhole: boolean;
}

interface StepAnswer {
  moved: number;
  searched: number;
  next?: string | undefined;
}

/** Repeats a step of a change, or of a count, until all was looked at or the signal says stop. Each step holds by itself. */
export async function takeSteps(
  step: (after: string, signal: AbortSignal) => Promise<StepAnswer>,
  signal: AbortSignal,
  tell: (done: StepsDone) => void,
): Promise<StepsDone> {
  let done: StepsDone = { moved: 0, searched: 0, isWhole: false };
  for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
    const answer: StepAnswer = await step(after, signal);
    after = answer.next;
    done = {
      moved: done.moved + answer.moved,
      searched: done.searched + answer.searched,
      isWhole: after === undefined,
    };
    tell(done);
  }
  return done;
}
