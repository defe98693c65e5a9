/** The upkeep of a store of many groups that several coordinators look after together. */
export interface GroupUpkeep {
  /** How many groups the store has. */
  readonly groups: number;
  /** Upkeep of these groups comes first here, because others look after the rest; undefined: of all alike. */
  lookAfter(groups: ReadonlySet<number> | undefined): void;
  /** Others were asked to give something back: it is looked for often for a while. */
  expectNews(forMs: number): void;
  /** One step of upkeep of all groups, whoever looks after them: the safety net. */
  sweepWhole(): Promise<{ more: boolean }>;
  /**
   * True for one process at a time: this one may do what the name says, until the time is over. The holder renews its claim
   * by another call.
   */
  claim(duty: string, forMs: number): Promise<boolean>;
  /** Ends this process's claim before its time, if there is one. */
  release(duty: string): Promise<void>;
}
