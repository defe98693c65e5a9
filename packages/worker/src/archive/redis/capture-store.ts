/** What the redis saver and its read side need of a server. Text is bytes, one character for each (latin1). */
export interface CaptureStore {
  /** Every command was carried out when it resolves. Each names the key it is about, and may be sent more than once. */
  run(commands: readonly KeyCommand[]): Promise<StoreReply[]>;
  /** Keys that match a pattern as SCAN has them, each at least once. */
  keys(pattern: string): AsyncIterable<string[]>;
  close(): Promise<void>;
}

export interface KeyCommand {
  key: string;
  /** The whole command. */
  args: (string | number)[];
}

export type StoreReply = string | number | null | StoreReply[];

/** Connects to the server that this machine's owner named. */
export type OpenCaptureStore = () => Promise<CaptureStore>;
