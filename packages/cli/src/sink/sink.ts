/** Another system that results are handed on to. */
export interface Sink {
  /** For messages: `Kafka at 10.0.0.5:9092`. */
  readonly name: string;
  /**
   * Resolves when the other system has acknowledged all of them, in their order. When it throws, some may have arrived:
   * the caller sends the same again. Throws WebfarerError `link-lost` where that may help.
   */
  send(messages: readonly SinkMessage[]): Promise<void>;
  close(): Promise<void>;
}

export interface SinkMessage {
  key: string;
  value: string;
  headers: Record<string, string>;
}
