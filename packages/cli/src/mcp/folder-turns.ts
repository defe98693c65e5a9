/** One piece of work at a time for each folder, and a bounded number in all. Others wait in line. */
export interface FolderTurns {
  run<T>(folder: string, work: () => Promise<T>): Promise<T>;
}

export function createFolderTurns(most: number): FolderTurns {
  const last = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let free = most;

  async function enter(): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** The place goes to the next in line, or becomes free. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  async function inPlace<T>(work: () => Promise<T>): Promise<T> {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return {
    async run(folder, work) {
      const before = last.get(folder) ?? Promise.resolve();
      const mine = before.then(() => inPlace(work));
      const settled = mine.catch(() => undefined);
      last.set(folder, settled);
      try {
        return await mine;
      } finally {
        if (last.get(folder) === settled) last.delete(folder);
      }
    },
  };
}
