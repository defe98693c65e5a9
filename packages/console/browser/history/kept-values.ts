/** Values of entries of the history, so that Back finds a screen as one left it. The latest few stay. */
export interface KeptValues<Value> {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): void;
}

export function keptValues<Value>(most: number): KeptValues<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (key) => kept.get(key),
    keep(key, value) {
      kept.delete(key);
      kept.set(key, value);
      for (const oldest of [...kept.keys()].slice(0, -most)) kept.delete(oldest);
    },
  };
}
