import type { StoreCall } from './call.ts';

/** How long calls keep a server busy, as far as was seen. */
export interface RunTimes {
  /** Milliseconds that this call may take there. */
  of(call: StoreCall): number;
  /** These were answered together, so long after they were sent. */
  learn(calls: readonly StoreCall[], ms: number): void;
}

/** How much one look changes what is believed. */
const weight = 0.3;
/** Below that the way there and back is most of what is seen. */
const fewest = 20;

/** By the name of a script, or of a command: what takes long is sent many times in a row, so a mean over a pipeline is enough. */
export function createRunTimes(): RunTimes {
  const known = new Map<string, number>();
  const of = (call: StoreCall) => known.get(nameOf(call)) ?? 0;
  return {
    of,
    learn(calls, ms) {
      if (calls.length < fewest) return;
      const each = ms / calls.length;
      for (const name of new Set(calls.map(nameOf))) {
        const before = known.get(name) ?? each;
        known.set(name, before + weight * (each - before));
      }
    },
  };
}

function nameOf({ script, args }: StoreCall): string {
  return script?.name ?? String(args[0]);
}
