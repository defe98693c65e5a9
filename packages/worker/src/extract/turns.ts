/** What is computed on at this moment resumes by this, when it is its turn. */
type Resume = () => Promise<void>;
/** There is one in a process. Where nobody shares it, work resumes in the turn after the next. */
const mainThread: { resume: () => Resume | undefined } = { resume: () => undefined };

/** From now on work that makes way resumes in the turn of whose page it is. */
export function shareTurns(resume: () => Resume | undefined): void {
  mainThread.resume = resume;
}

/**
 * Resolves when everything else that waits for the process has had its turn: timers, sockets, other pages. Twice, since
 * what one turn brings (an answer) is worked on in the next: small work goes before large, without a look at a clock.
 */
export async function nextTurn(): Promise<void> {
  const resume = mainThread.resume() ?? turn;
  await turn();
  await resume();
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
