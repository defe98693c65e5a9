/** Lets one through at a time, in the order they came. */
export interface Turnstile {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurnstile(): Turnstile {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const mine = last.then(work);
      // Whatever becomes of this one, the next goes on.
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
