import type { Tallies } from '@webfarer/coordinator/server';
import { createCrawlTally } from '@webfarer/graph';

/** The same figures as those of `webfarer stats`. */
export const tallies: Tallies = { statistics: createCrawlTally };
