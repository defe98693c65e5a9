import type { WorkerId } from '@webfarer/protocol';

/** What a worker process must know before it is told of any crawl. No secrets: others can see how it was started. */
export interface ProcessSetup {
  id: WorkerId;
  /** Which one it is, counted from 1. */
  process: number;
  /** This folder among several that share the crawl. */
  member: string | undefined;
  folder: string;
  baseFolder: string;
  connections: number;
  version: string;
  /** Whether what it counts goes to its parent. */
  isMeasured: boolean;
  /** Whether it reports spans, to the SDK that the options of Node load in it as well. */
  isTraced: boolean;
}

/** The same as the process gets it. */
export interface StartedSetup extends ProcessSetup {
  /** The key that requests are signed with waits on its standard input. */
  keyOnStdin: boolean;
}

/** Which of the streams that the process is started with carries the link. */
export const LINK_FD = 3;
