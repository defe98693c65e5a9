/** How a bench is run for a comparison, and the one figure of it that is compared. More is better. */
export interface Compared {
  args: string[];
  quickArgs: string[];
  /** What the figure is, for the reader. */
  unit: string;
  figure(line: Record<string, unknown>): number;
}

interface BroadLine {
  profiles: { medium: { pagesPerCpuSecond: { ours: number } } };
}

interface LinkLine {
  measured: { linked: { coordinatorMicros: number; workerMicros: number } };
}

/** One round each: the rounds are those of the comparison, in which the two commits take turns. */
export const compared: Record<string, Compared> = {
  broad: {
    args: ['--profile', 'medium', '--rounds', '1', '--only', 'ours'],
    quickArgs: ['--quick', '--only', 'ours'],
    unit: 'pages per CPU second in one process',
    figure: (line) => (line as unknown as BroadLine).profiles.medium.pagesPerCpuSecond.ours,
  },
  link: {
    args: ['--rounds', '1'],
    quickArgs: ['--quick'],
    unit: 'pages per CPU second of coordinator and worker',
    figure(line) {
      const { coordinatorMicros, workerMicros } = (line as unknown as LinkLine).measured.linked;
      return 1_000_000 / (coordinatorMicros + workerMicros);
    },
  },
  'scale-out': {
    args: ['--rounds', '1'],
    quickArgs: ['--quick'],
    unit: 'pages per CPU second of the coordinator with the most workers',
    figure: (line) => 1_000 / (line as { coordinatorMsPerPage: number }).coordinatorMsPerPage,
  },
  'frontier-sqlite': {
    args: ['--known', '200000,1000000'],
    quickArgs: ['--quick'],
    unit: 'offers a second, relative to bare inserts in the same run',
    figure: (line) => (line as { oursToBare10M: number }).oursToBare10M,
  },
};
