/** Others have their turn after so long. */
const turnMs = 25;

interface Timed<One, Answer> {
  run(one: One): Answer;
  /** So long has been spent on it that others should have their turn. */
  isOver(): boolean;
  /** They had it. */
  begin(): void;
}

/** The same work, and how long it took: the patterns of a job may be slow. */
export function timed<One, Answer>(work: (one: One) => Answer): Timed<One, Answer> {
  let spentMs = 0;
  return {
    run(one) {
      const beganMs = performance.now(); // allow(time): what is measured is this process
      const answer = work(one);
      spentMs += performance.now() - beganMs; // allow(time): the same measure of this process
      return answer;
    },
    isOver: () => spentMs >= turnMs,
    begin() {
      spentMs = 0;
    },
  };
}

/** Works on each of many URLs. Everything else has its turn in between. */
export async function eachInTurns<T>(all: Iterable<T>, work: (one: T) => void): Promise<void> {
  const turn = timed(work);
  for (const one of all) {
    turn.run(one);
    if (!turn.isOver()) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turn.begin();
  }
}

/** Those of many URLs that are meant, in the same way. */
export async function filterInTurns<T>(all: Iterable<T>, isMeant: (one: T) => boolean): Promise<T[]> {
  const meant: T[] = [];
  await eachInTurns(all, (one) => {
    if (isMeant(one)) meant.push(one);
  });
  return meant;
}
