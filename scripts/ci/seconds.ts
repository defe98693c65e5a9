/** What each part took when everything ran last: `.ci/seconds.json`, written by whole runs. */
export type Seconds = Readonly<Record<string, Took>>;

export interface Took {
  /** From its begin to its end, beside others. */
  wall: number;
  /** Computing, all its processes together; of a test file, which shares its process with others, that is not known. */
  cpu: number | null;
}

/** One part a line, so that a diff shows which of them changed. */
export function secondsText(seconds: Seconds): string {
  const lines = Object.entries(seconds)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, took]) => ` ${JSON.stringify(id)}: ${JSON.stringify(took)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** What a part weighs where parts are shared out. */
export function weightOf(took: Took | undefined): number {
  return took?.cpu ?? took?.wall ?? 1;
}
