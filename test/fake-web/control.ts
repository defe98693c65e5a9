/** What is said between a test and the fake web's process. */
export type Command = { id: number } & (
  | { do: 'dumpLog'; file: string }
  | { do: 'turn'; epoch: number }
  | { do: 'clearLog' | 'reset' | 'vanish' | 'return' | 'stats' | 'stop' }
);

/** Number 0 is the start. */
export interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}
