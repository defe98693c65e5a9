/** The closed list of spans; docs/tracing.md says what each covers. */
export type SpanName =
  | 'webfarer.lease'
  | 'webfarer.url'
  | 'webfarer.robots'
  | 'webfarer.fetch'
  | 'webfarer.extract'
  | 'webfarer.scrape'
  | 'webfarer.save'
  | 'webfarer.report';

export type SpanAttributes = Record<string, string | number | boolean>;

/** A span that is open. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
}

/** Follows the life of a URL. A span that is begun inside another is its child. */
export interface Tracing {
  /** `about` is called only where somebody traces. What `work` throws is recorded, and thrown on. */
  run<T>(name: SpanName, about: () => SpanAttributes, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Before the process ends: SDKs keep spans for a while, and would lose the last ones. */
  flush(): Promise<void>;
}

const deaf: OpenSpan = { set: () => undefined };

/** Nobody traces. */
export const noTracing: Tracing = {
  run: (_name, _about, work) => work(deaf),
  flush: () => Promise.resolve(),
};
