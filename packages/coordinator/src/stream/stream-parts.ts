import type { Clock } from '@webfarer/protocol';
import type { Consumers } from '../results/consumers.ts';
import type { CrawlHomes } from './crawl-home.ts';
import type { LogTails } from './log-tail.ts';
import type { PageGates } from './page-gate.ts';
import type { Topics } from './topics.ts';

/** What reads of crawls are made of. */
export interface StreamParts {
  homes: CrawlHomes;
  tails: LogTails;
  gates: PageGates;
  topics: Topics;
  consumers: Consumers;
  clock: Clock;
}
