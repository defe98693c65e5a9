export interface TrialPlan {
  /** `cluster`: three primaries with a replica each. */
  store: 'sqlite' | 'redis' | 'cluster';
  coordinators: number;
  workers: number;
  streams: number;
  logs: number;
  cuts: number;
  /** At every so many cuts a coordinator is killed. */
  killEvery: number;
  /** At every so many cuts a primary of a cluster is killed. */
  failOverEvery: number;
  /** Between two cuts, at most. */
  everyMs: number;
  gapMs: number;
  hosts: RegExp;
  withinMs: number;
}
