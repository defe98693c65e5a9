/** Where words go. Built from the process in main.ts, from arrays in tests. */
export interface Terminal {
  /** Results and the live view. */
  out(text: string): void;
  /** Errors, so that they are seen when stdout goes to a file. */
  err(text: string): void;
  /** A person is watching and the screen can be redrawn. */
  readonly live: boolean;
  readonly colour: boolean;
  columns(): number;
  rows(): number;
}

/** How wide lines may be: one less than the terminal, because a full last column wraps on some. */
export function usableColumns(terminal: Terminal): number {
  return Math.max(20, Math.min(terminal.columns() - 1, 160));
}
