/** Lets so many through at a time; the others wait, first come, first served. */
export interface Turnstile {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurnstile(atOnce: number): Turnstile {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async run(work) {
      if (taken < atOnce) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else taken -= 1;
      }
    },
  };
}
